import { expect, it } from "vitest";
import { cursorEvents } from "./events.ts";

/** Made by hand from the documentation: no recording of this program exists. */
const DOCUMENTED = [
  {
    type: "system",
    subtype: "init",
    session_id: "c6b6",
    model: "Composer 2",
    cwd: "/home/user/shop",
    permissionMode: "default",
  },
  { type: "user", message: { role: "user", content: [{ type: "text", text: "Read it" }] }, session_id: "c6b6" },
  {
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text: "Reading." }] },
    session_id: "c6b6",
  },
  { type: "tool_call", subtype: "started", call_id: "t1", tool_call: { readToolCall: { args: { path: "a.js" } } } },
  {
    type: "tool_call",
    subtype: "completed",
    call_id: "t1",
    tool_call: { readToolCall: { args: { path: "a.js" }, result: { success: { content: "1", totalLines: 1 } } } },
  },
  {
    type: "tool_call",
    subtype: "completed",
    call_id: "t2",
    tool_call: { shellToolCall: { args: { command: "rm x" }, result: { rejected: { reason: "not allowed" } } } },
  },
  { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "Done." }] }, session_id: "c6b6" },
  { type: "result", subtype: "success", is_error: false, duration_ms: 5, result: "Reading.Done.", session_id: "c6b6" },
];

it("understands the documented stream", () => {
  const stream = cursorEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 });
  const events = DOCUMENTED.flatMap((record) => stream.line(JSON.stringify(record)));
  expect(events.filter(({ type }) => !/^(?:message_start|text_delta|tool_call_start)$/.test(type))).toEqual([
    { type: "session_start", sessionId: "c6b6", resumed: false, model: "Composer 2" },
    { type: "turn_start", turnIndex: 0 },
    { type: "message_stop", text: "Reading." },
    { type: "tool_call_ready", toolCallId: "t1", toolName: "read", input: { path: "a.js" } },
    { type: "tool_result", toolCallId: "t1", toolName: "read", output: { content: "1", totalLines: 1 }, durationMs: 0 },
    { type: "file_read", path: "a.js" },
    { type: "tool_call_ready", toolCallId: "t2", toolName: "shell", input: { command: "rm x" } },
    { type: "shell_start", command: "rm x", cwd: "/home/user/shop" },
    { type: "tool_error", toolCallId: "t2", toolName: "shell", error: "not allowed", durationMs: 0 },
    { type: "shell_exit", exitCode: null, durationMs: 0 },
    { type: "message_stop", text: "Done." },
    { type: "turn_end", turnIndex: 0 },
  ]);
});

it("takes the reason from standard error when there is no result", () => {
  const stream = cursorEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 });
  expect(
    stream.end({ exitCode: 1, stderr: "Authentication required. Please run 'cursor-agent login'\n" }),
  ).toMatchObject([{ type: "auth_error" }]);
});
