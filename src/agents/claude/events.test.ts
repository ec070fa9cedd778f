import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunRequest } from "../run-support.ts";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { claudeEvents } from "./events.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const NAMES = ["qa-partial", "tools-1", "tools-2-resume", "subagent", "error-1-retry", "error-2-fatal"];
const path = (name: string): string => join(STREAMS, `${name}.jsonl`);
const context = (session: RunRequest["session"] = { kind: "new" }) => ({
  cwd: "/home/user/shop",
  session,
  now: () => 0,
});

streamConformance(
  "Claude Code",
  NAMES.map((name) => ({ name, path: path(name) })),
  () => claudeEvents(context()),
);

describe("a streamed answer", () => {
  const events = replay(claudeEvents(context()), path("qa-partial"));

  it("arrives in pieces and once as a whole", () => {
    const text = "`price(qty, unit)` multiplies quantity by unit price, adds 20 % tax and rounds to cents.";
    expect(events.filter(({ type }) => type === "text_delta").map((event) => "delta" in event && event.delta)).toEqual([
      "`price(qty, unit)` mul",
      "tiplies quantity by un",
      "it price, adds 20 % ta",
      "x and rounds to cents.",
    ]);
    expect(essence(events)).toEqual([
      {
        type: "session_start",
        sessionId: "c3fae41e-77d8-43d0-8f86-4a65919c07a8",
        resumed: false,
        model: "claude-sonnet-5-5",
      },
      { type: "turn_start", turnIndex: 0 },
      { type: "step_start", turnIndex: 0, stepIndex: 0, stepType: "model" },
      { type: "message_stop", text },
      {
        type: "token_usage",
        inputTokens: 1203,
        outputTokens: 41,
        thinkingTokens: 0,
        cachedTokens: 0,
        cacheWriteTokens: 8200,
        cacheWrite1hTokens: 8200,
        model: "claude-sonnet-5-5",
      },
      {
        type: "cost",
        cost: {
          totalUsd: 0.035616,
          inputTokens: 1203,
          outputTokens: 41,
          thinkingTokens: 0,
          cachedTokens: 0,
          cacheWriteTokens: 8200,
          cacheWrite1hTokens: 8200,
          kind: "reported",
        },
      },
      { type: "step_end", turnIndex: 0, stepIndex: 0, stepType: "model" },
      { type: "turn_end", turnIndex: 0 },
    ]);
  });
});

describe("a turn with tools", () => {
  const events = replay(claudeEvents(context()), path("tools-1"));

  it("reports files and commands beside the tools", () => {
    const facts = events.filter(({ type }) => type.startsWith("file_") || type.startsWith("shell_"));
    const routes = "/home/user/dev/shop-api/src/routes.js";
    expect(facts).toEqual([
      { type: "file_read", path: routes },
      { type: "file_patch", path: routes },
      { type: "shell_start", command: "node --test 2>&1 | tail -8", cwd: "/home/user/shop" },
      { type: "shell_exit", exitCode: 0, durationMs: 0 },
    ]);
  });

  it("ends with the answer", () => {
    expect(events.findLast(({ type }) => type === "message_stop")).toEqual({
      type: "message_stop",
      text: "Added `GET /health`; the test run reports no failures.",
    });
  });
});

describe("a resumed session", () => {
  it("costs what this run cost, not what the session did", () => {
    const session = { kind: "resume", id: "dfb61421-d08a-4f49-8f45-e72d5dab1652" } as const;
    const events = replay(claudeEvents(context(session)), path("tools-2-resume"));
    expect(events.slice(0, 2)).toEqual([
      { type: "session_start", sessionId: session.id, resumed: true, model: "claude-opus-5-5" },
      { type: "session_resume", sessionId: session.id },
    ]);
    expect(events.find(({ type }) => type === "cost")).toMatchObject({
      cost: { totalUsd: 0.0105678, outputTokens: 107 },
    });
  });
});

describe("a sub-agent", () => {
  const events = replay(claudeEvents(context()), path("subagent"));

  it("is distinguished from the agent", () => {
    const spawn = events.find((event) => event.type === "subagent_spawn")!;
    expect(spawn).toMatchObject({ agentName: "Explore" });
    const { subagentId } = spawn as { subagentId: string };
    expect(events.filter((event) => event.subagentId === subagentId).map(({ type }) => type)).toEqual([
      "subagent_spawn",
      "tool_call_start",
      "tool_call_ready",
      "shell_start",
      "tool_result",
      "shell_exit",
      "subagent_result",
    ]);
    expect(events.find(({ type }) => type === "subagent_result")).toMatchObject({ summary: "src/price.js:3" });
  });

  it("is included in the cost", () => {
    expect(events.find(({ type }) => type === "cost")).toMatchObject({ cost: { inputTokens: 434 } });
  });
});

describe("failures", () => {
  it("report that the service is busy while the agent retries", () => {
    const events = replay(claudeEvents(context()), path("error-1-retry"));
    expect(events.filter(({ type }) => type === "rate_limited")).toEqual([
      { type: "rate_limited", retryAfterMs: 604 },
      { type: "rate_limited", retryAfterMs: 1181 },
    ]);
    expect(events.some(({ type }) => type === "error")).toBe(false);
  });

  it("are errors, not answers, when the service refuses", () => {
    const events = replay(claudeEvents(context()), path("error-2-fatal"));
    expect(events.filter(({ type }) => type === "error" || type === "message_stop")).toEqual([
      {
        type: "error",
        code: "AGENT_CRASH",
        message: "API Error: 400 messages: text content blocks must be non-empty",
        recoverable: false,
      },
    ]);
  });
});

describe("a conversation", () => {
  const ask = (input: object, tool = "Bash"): string =>
    JSON.stringify({
      type: "control_request",
      request_id: "r1",
      request: { subtype: "can_use_tool", tool_name: tool, input },
    });

  it("asks for approval and repeats the input in the answer", () => {
    const stream = claudeEvents(context(), true);
    expect(stream.line(ask({ command: "rm -rf dist" }))).toEqual([
      {
        type: "approval_request",
        interactionId: "r1",
        action: "Bash",
        detail: "rm -rf dist",
        toolName: "Bash",
        riskLevel: "high",
      },
    ]);
    expect(JSON.parse(stream.answer!("r1", { type: "approve" })!)).toEqual({
      type: "control_response",
      response: {
        subtype: "success",
        request_id: "r1",
        response: { behavior: "allow", updatedInput: { command: "rm -rf dist" } },
      },
    });
    expect(stream.answer!("r1", { type: "approve" })).toBeUndefined();
  });

  it("passes a question on and fills the answer in", () => {
    const questions = [{ question: "Which one?", options: [{ label: "Blue" }, { label: "Green" }] }];
    const stream = claudeEvents(context(), true);
    expect(stream.line(ask({ questions }, "AskUserQuestion"))).toEqual([
      { type: "input_required", interactionId: "r1", question: "Which one?", context: "Blue, Green", source: "tool" },
    ]);
    expect(JSON.parse(stream.answer!("r1", { type: "text", text: "Blue" })!)).toMatchObject({
      response: { response: { behavior: "allow", updatedInput: { questions, answers: { "Which one?": "Blue" } } } },
    });
  });
});
