import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import type { SessionChoice } from "../run-support.ts";
import { kimiEvents } from "./events.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const SESSION = "session_312c0586-031b-4550-bc5e-026c45c36936";
const open = (session: SessionChoice = { kind: "new" }) =>
  kimiEvents({ cwd: "/home/user/dev/shop-web", session, now: () => 0 });

streamConformance(
  "Kimi Code",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  open,
);

it("a turn has its tools, the files they touched and the answer; the session comes last", () => {
  const told = essence(replay(open(), join(STREAMS, "02-1.jsonl")));
  const kinds = told.map(({ type }) => type).filter((type) => !type.startsWith("step_"));
  expect(kinds).toEqual([
    ...["turn_start", "message_stop", "tool_call_ready", "tool_call_ready"],
    ...["tool_error", "tool_result", "file_read", "tool_call_ready", "tool_result", "file_patch"],
    ...["tool_call_ready", "shell_start", "tool_error", "shell_exit", "tool_call_ready", "tool_result", "file_write"],
    ...["message_stop", "session_start", "turn_end"],
  ]);
  expect(told.find(({ type }) => type === "shell_exit")).toMatchObject({ exitCode: 3 });
});

it("a resumed session is known from the start", () => {
  const told = replay(open({ kind: "resume", id: SESSION }), join(STREAMS, "02-2.jsonl"));
  expect(told[0]).toEqual({ type: "session_start", sessionId: SESSION, resumed: true });
  expect(told.filter(({ type }) => type === "session_start")).toHaveLength(1);
});

it("a failure is what the service answered", () => {
  const stderr = "error: failed to run prompt: provider.api_error: 400 The request was refused.\nSee log: x\n";
  expect(open().end({ exitCode: 1, stderr })).toEqual([
    { type: "error", code: "AGENT_CRASH", message: "400 The request was refused.", recoverable: false },
  ]);
});
