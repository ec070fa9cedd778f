import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { qwenEvents } from "./events.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const open = () => qwenEvents({ cwd: "/home/user/dev/shop-web", session: { kind: "new" }, now: () => 0 });
const events = (name: string) => replay(open(), join(STREAMS, `${name}.jsonl`));

streamConformance(
  "Qwen Code",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  open,
);

describe("a turn", () => {
  it("in pieces tells the same as whole messages do", () => {
    const told = essence(events("partial"));
    expect(told.map(({ type }) => type)).toEqual([
      ...["session_start", "turn_start", "step_start", "thinking_stop", "message_stop"],
      ...["tool_call_ready", "tool_call_ready", "token_usage", "step_end"],
      ...["tool_result", "file_read", "tool_error"],
      ...["step_start", "tool_call_ready", "shell_start", "token_usage", "step_end", "tool_error", "shell_exit"],
      ...["step_start", "message_stop", "token_usage", "step_end", "turn_end"],
    ]);
    expect(told.find(({ type }) => type === "message_stop")).toEqual({
      type: "message_stop",
      text: "I will read both.",
    });
  });

  it("reports the tokens of each request, not those of a resumed session", () => {
    expect(events("02-2").filter(({ type }) => type === "token_usage")).toEqual([
      {
        type: "token_usage",
        model: "qwen3-coder-plus",
        inputTokens: 1056,
        cachedTokens: 524,
        outputTokens: 28,
        thinkingTokens: 0,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
      },
    ]);
  });

  it("names a sub-agent that works in the background", () => {
    const named = { subagentId: "general-purpose-call_10_0", agentName: "general-purpose" };
    expect(events("03-1").filter(({ type }) => type.startsWith("subagent_"))).toEqual([
      { type: "subagent_spawn", ...named, prompt: "Count files" },
      { type: "subagent_result", ...named, summary: "" },
    ]);
  });

  it("goes on after a refused tool", () => {
    expect(events("denied").find(({ type }) => type === "tool_error")).toMatchObject({
      error: expect.stringContaining("that permission was declined") as string,
    });
  });
});

const answer = (text: string, tokens: number) => ({
  type: "assistant",
  message: { content: [{ type: "text", text }], usage: { input_tokens: tokens, output_tokens: tokens } },
});
const toldBy = (...records: object[]) => {
  const stream = open();
  return records.flatMap((record) => stream.line(JSON.stringify(record)));
};

it.each([0, 5])("an answer of %i tokens that begins like a failure is told in a run that succeeds", (tokens) => {
  const text = "[API Error: 400] means that the request was wrong.";
  const told = toldBy(answer(text, tokens), { type: "result", is_error: false });
  expect(told.filter(({ type }) => type === "message_stop")).toEqual([{ type: "message_stop", text }]);
});

it("answers of a service that counts no tokens are steps of their own", () => {
  const results = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "c", content: "x" }] } };
  const told = toldBy(answer("one", 0), results, answer("two", 0), { type: "result", is_error: false });
  expect(told.filter(({ type }) => type === "step_end")).toHaveLength(2);
});

it("a failure is what the service answered, once", () => {
  const told = events("05-1");
  expect(told.filter(({ type }) => type === "message_stop")).toEqual([]);
  expect(told.find(({ type }) => type === "error")).toMatchObject({
    code: "AGENT_CRASH",
    message: "400 The request was refused.",
  });
});
