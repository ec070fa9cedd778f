import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { copilotEvents } from "./events.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
/** The ids of the recordings; a run chooses its own and reports it at once. */
const IDS: Record<string, string> = {
  "c02-1": "30a6c7fc-c030-45b9-ad3c-9ad58b3ea4e8",
  "c02-2": "30a6c7fc-c030-45b9-ad3c-9ad58b3ea4e8",
  "c05-1": "20dc645c-1e3c-49a7-8a2d-312fb74edfd8",
};
const open = (name: string) =>
  copilotEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 }, IDS[name] ?? "");
const path = (name: string) => join(STREAMS, `${name}.events.jsonl`);

for (const file of readdirSync(STREAMS)) {
  const name = file.split(".")[0]!;
  if (IDS[name] !== undefined) streamConformance("Copilot", [{ name, path: path(name) }], () => open(name));
}

describe("a turn", () => {
  it("is reported in steps, each with its model", () => {
    const file = "/home/user/dev/shop-web/src/cart.js";
    const events = essence(replay(open("c02-1"), path("c02-1")));
    const result = events.find(({ type }) => type === "tool_result") as { output: string };
    expect(result.output).toMatch(/^export function total/);
    expect(events).toEqual([
      { type: "session_start", sessionId: IDS["c02-1"], resumed: false },
      { type: "turn_start", turnIndex: 0 },
      { type: "step_start", turnIndex: 0, stepIndex: 0, stepType: "model", model: "claude-sonnet-4.6" },
      {
        type: "thinking_stop",
        thinking: "The user wants to know how an empty list is handled, so the file has to be read first.",
      },
      { type: "message_stop", text: "Let me look at the file." },
      { type: "tool_call_ready", toolCallId: "toolu_mwh7ha9r002w", toolName: "view", input: { path: file } },
      { ...result, type: "tool_result", toolCallId: "toolu_mwh7ha9r002w", toolName: "view", durationMs: 0 },
      { type: "file_read", path: file },
      { type: "step_end", turnIndex: 0, stepIndex: 0, stepType: "model" },
      { type: "step_start", turnIndex: 0, stepIndex: 1, stepType: "model", model: "claude-sonnet-4.6" },
      { type: "message_stop", text: "Yes. With an empty list the loop never runs and `0` is returned." },
      { type: "step_end", turnIndex: 0, stepIndex: 1, stepType: "model" },
      { type: "turn_end", turnIndex: 0 },
    ]);
  });

  it("includes a command's output and exit code", () => {
    const events = replay(open("c02-2"), path("c02-2"));
    const printed = events.flatMap((event) => (event.type === "shell_stdout_delta" ? [event.delta] : [])).join("");
    expect(printed).toMatch(/^TAP version 13\n[^]*# duration_ms 138\.504377\n$/);
    expect(events.find(({ type }) => type === "shell_exit")).toMatchObject({ exitCode: 0 });
    expect(events.filter(({ type }) => type === "file_patch")).toHaveLength(2);
    expect(events.find((event) => event.type === "file_patch")).toMatchObject({ diff: expect.stringContaining("@@") });
  });

  it("reports a sub-agent's tools as its own, and not its text", () => {
    const events = replay(open("c04"), path("c04"));
    const subagentId = "e740f4a7-3ca0-405b-989e-e8d517898f7b";
    const own = events.filter((event) => event.subagentId === subagentId).map(({ type }) => type);
    expect(own).toEqual([
      "subagent_spawn",
      "tool_call_start",
      "tool_call_ready",
      "tool_result",
      "file_read",
      "subagent_result",
    ]);
    expect(events.filter(({ type }) => type === "message_stop")).toHaveLength(1);
  });
});

describe("failures", () => {
  it("are what the service answered", () => {
    const events = replay(open("c05-1"), path("c05-1"));
    expect(events.filter(({ type }) => type === "error")).toEqual([
      { type: "error", code: "AGENT_CRASH", message: "400 Invalid request: ****** failure", recoverable: false },
    ]);
  });
});
