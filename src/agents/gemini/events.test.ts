import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { geminiEvents } from "./events.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const open = () => geminiEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 });
const events = (name: string) => replay(open(), join(STREAMS, `${name}.stream.jsonl`));

streamConformance(
  "Gemini CLI",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  open,
);

describe("a turn", () => {
  it("is reported with its tool, the answer and the tokens, with thoughts in the output", () => {
    const id = "read_file__read_file_1791190952441_0";
    expect(essence(events("g02-1"))).toEqual([
      {
        type: "session_start",
        sessionId: "c92f2b49-7904-4341-941c-63a7874d04ab",
        resumed: false,
        model: "gemini-2.5-pro",
      },
      { type: "turn_start", turnIndex: 0 },
      { type: "tool_call_ready", toolCallId: id, toolName: "read_file", input: { file_path: "src/cart.js" } },
      { type: "tool_result", toolCallId: id, toolName: "read_file", output: "", durationMs: 0 },
      { type: "file_read", path: "src/cart.js" },
      {
        type: "token_usage",
        inputTokens: 7940,
        outputTokens: 98,
        thinkingTokens: 61,
        cachedTokens: 7100,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
        model: "gemini-2.5-pro",
      },
      { type: "message_stop", text: "Yes. With an empty list the loop never runs and `0` is returned." },
      { type: "turn_end", turnIndex: 0 },
    ]);
  });

  it("ends a message where a tool begins", () => {
    const told = events("g02-2").filter(({ type }) => type === "message_stop" || type === "tool_call_ready");
    expect(told.map((event) => ("text" in event ? event.text : "toolName" in event && event.toolName))).toEqual([
      "I will add the parameter.",
      "replace",
      "replace",
      "run_shell_command",
      "Done: `total(items, discount = 0)` now applies the discount and the tests pass.",
    ]);
  });

  it("recognises a sub-agent by the tool that starts it", () => {
    const subagentId = "invoke_agent__invoke_agent_1791453602759_0";
    const agentName = "codebase_investigator";
    expect(events("g04").filter(({ type }) => type.startsWith("subagent_"))).toEqual([
      { type: "subagent_spawn", subagentId, agentName, prompt: "Find out how the cart module is tested." },
      { type: "subagent_result", subagentId, agentName, summary: "" },
    ]);
  });
});

describe("failures", () => {
  it("are what the service answered", () => {
    expect(events("g05-1").find(({ type }) => type === "error")).toMatchObject({
      code: "AGENT_CRASH",
      message: expect.stringContaining("Request contains an invalid argument."),
      recoverable: false,
    });
  });

  it("from a missing sign-in are known by the exit code", () => {
    expect(open().end({ exitCode: 41, stderr: "Please set an Auth method" })).toEqual([
      {
        type: "auth_error",
        message: "Gemini CLI is not signed in.",
        guidance: "Run gemini and sign in, or set GEMINI_API_KEY.",
      },
    ]);
  });
});
