import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunRequest } from "../run-support.ts";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { codexEvents } from "./events.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const path = (name: string): string => join(STREAMS, `${name}.jsonl`);
const context = (session: RunRequest["session"] = { kind: "new" }) => ({
  cwd: "/home/user/shop",
  session,
  now: () => 0,
});

streamConformance(
  "Codex",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  () => codexEvents(context()),
);

describe("a turn with commands and a patch", () => {
  const events = replay(codexEvents(context()), path("codemode"));

  it("is reported in order", () => {
    const created = { path: "/home/user/dev/shop-api/LINES.md", kind: "add" };
    const shell = (id: string, file: string, lines: number) => [
      {
        type: "tool_call_ready",
        toolCallId: id,
        toolName: "shell",
        input: { command: `/bin/bash -lc 'wc -l ${file}'` },
      },
      { type: "shell_start", command: `/bin/bash -lc 'wc -l ${file}'`, cwd: "/home/user/shop" },
      { type: "tool_result", toolCallId: id, toolName: "shell", output: `${lines} ${file}\n`, durationMs: 0 },
      { type: "shell_exit", exitCode: 0, durationMs: 0 },
    ];
    expect(essence(events)).toEqual([
      { type: "session_start", sessionId: "01a1dce4-112f-7441-959b-5ee3339580e5", resumed: false },
      { type: "turn_start", turnIndex: 0 },
      { type: "thinking_stop", thinking: "**Counting**" },
      { type: "message_stop", text: "Counting." },
      ...shell("item_2", "src/routes.js", 5),
      ...shell("item_3", "src/price.js", 4),
      { type: "tool_call_ready", toolCallId: "item_4", toolName: "apply_patch", input: { changes: [created] } },
      { type: "tool_result", toolCallId: "item_4", toolName: "apply_patch", output: [created], durationMs: 0 },
      { type: "file_create", path: created.path },
      { type: "message_stop", text: "Nine lines in total; noted in LINES.md." },
      {
        type: "token_usage",
        inputTokens: 3604,
        outputTokens: 164,
        thinkingTokens: 30,
        cachedTokens: 19096,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
      },
      { type: "turn_end", turnIndex: 0 },
    ]);
  });
});

describe("a resumed thread", () => {
  it("does not report the thread's total as the run's", () => {
    const session = { kind: "resume", id: "01a1dce3-be63-7800-b4f5-ed1ce14c8719" } as const;
    const events = replay(codexEvents(context(session)), path("tools-2-resume"));
    expect(events.some(({ type }) => type === "token_usage")).toBe(false);
    expect(events[0]).toMatchObject({ sessionId: session.id, resumed: true });
  });

  it("that is a fork names both threads", () => {
    const session = { kind: "fork", id: "01a1dce3-be63-7800-b4f5-ed1ce14c8719" } as const;
    const events = replay(codexEvents(context(session)), path("tools-fork"));
    const sessionId = "01a1dce3-e7ec-77d0-941a-c4d12fe3d446";
    expect(events.slice(0, 2)).toEqual([
      { type: "session_start", sessionId, resumed: false, forkedFrom: session.id },
      { type: "session_fork", sessionId, forkedFrom: session.id },
    ]);
  });
});

describe("a sub-agent", () => {
  it("is reported from its start to its answer", () => {
    const events = replay(codexEvents(context()), path("subagent-v1"));
    const subagentId = "01a1dce4-2787-7420-b23b-648f44fe8e7d";
    const prompt = "Find the file and line where tax is computed under src/. Reply with path:line.";
    expect(events.filter(({ type }) => type.startsWith("subagent_"))).toEqual([
      { type: "subagent_spawn", subagentId, agentName: "subagent", prompt },
      { type: "subagent_result", subagentId, agentName: "subagent", summary: "src/price.js:3" },
    ]);
  });
});

describe("failures", () => {
  it("are reported once, when the turn fails", () => {
    const message = "Invalid prompt: your prompt was flagged.";
    const events = replay(codexEvents(context()), path("error-2-fatal"));
    expect(events.filter(({ type }) => type === "error")).toEqual([
      { type: "error", code: "AGENT_CRASH", message, recoverable: false },
    ]);
  });

  it("are reported at the end when the turn is cut off", () => {
    const stream = codexEvents(context());
    stream.line('{"type":"thread.started","thread_id":"t"}');
    stream.line('{"type":"error","message":"exceeded retry limit, last status: 429 Too Many Requests"}');
    expect(stream.end({ exitCode: 1, stderr: "" })).toEqual([
      { type: "rate_limit_error", message: "exceeded retry limit, last status: 429 Too Many Requests" },
    ]);
  });

  it("are dropped when it reconnects and the turn succeeds", () => {
    const stream = codexEvents(context());
    stream.line('{"type":"error","message":"Reconnecting... 1/5"}');
    stream.line('{"type":"turn.completed","usage":{}}');
    expect(stream.end({ exitCode: 1, stderr: "" })).toEqual([]);
  });
});
