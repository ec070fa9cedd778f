import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { essence, replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";
import { eventsOf } from "../shared/opencode/events.ts";
import { OPENCODE } from "./product.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const open = () => eventsOf(OPENCODE, { cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 });
const events = (name: string) => replay(open(), join(STREAMS, `${name}.events.jsonl`));

streamConformance(
  "OpenCode",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  open,
);

describe("a turn", () => {
  const told = events("o02-1");

  it("is reported in steps, each with its tokens and dollars", () => {
    const step = { stepType: "model", turnIndex: 0 };
    const usage = (inputTokens: number, cachedTokens: number, outputTokens: number, thinkingTokens: number) => ({
      inputTokens,
      outputTokens,
      thinkingTokens,
      cachedTokens,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
    });
    const first = usage(8450, 0, 91, 61);
    const second = usage(490, 8100, 19, 0);
    const file = "/home/user/dev/shop-web/src/cart.js";
    expect(essence(told).map((event) => (event.type === "tool_result" ? { ...event, output: "…" } : event))).toEqual([
      { type: "session_start", sessionId: "ses_ef4b55d0dffe1BxQ7eQkKplIQ9", resumed: false },
      { type: "turn_start", turnIndex: 0 },
      { type: "step_start", ...step, stepIndex: 0 },
      { type: "message_stop", text: "Let me look at the file." },
      { type: "tool_call_ready", toolCallId: "call_mwh7mfwg005x", toolName: "read", input: { filePath: file } },
      {
        type: "tool_result",
        toolCallId: "call_mwh7mfwg005x",
        toolName: "read",
        output: "…",
        durationMs: expect.any(Number),
      },
      { type: "file_read", path: file },
      { type: "token_usage", ...first },
      { type: "cost", cost: { totalUsd: 0.026715, ...first, kind: "reported" } },
      { type: "step_end", ...step, stepIndex: 0 },
      { type: "step_start", ...step, stepIndex: 1 },
      { type: "message_stop", text: "Yes. With an empty list the loop never runs and `0` is returned." },
      { type: "token_usage", ...second },
      { type: "cost", cost: { totalUsd: 0.004185, ...second, kind: "reported" } },
      { type: "step_end", ...step, stepIndex: 1 },
      { type: "turn_end", turnIndex: 0 },
    ]);
  });

  it("has the diff of an edit, and the exit code of a command", () => {
    const edits = events("o02-2");
    expect(edits.find(({ type }) => type === "file_patch")).toMatchObject({
      diff: expect.stringContaining("discount = 0"),
    });
    expect(edits.find(({ type }) => type === "shell_exit")).toEqual({
      type: "shell_exit",
      exitCode: 0,
      durationMs: 10,
    });
  });

  it("names a sub-agent by its own session", () => {
    expect(events("o04").find(({ type }) => type === "subagent_spawn")).toEqual({
      type: "subagent_spawn",
      subagentId: "ses_ee50b4d66ffe7YoWb2oqhbJMR0",
      agentName: "explore",
      prompt: "Find out how the cart module is tested.",
    });
  });
});

describe("failures", () => {
  it("are what the service answered", () => {
    expect(events("o05-1").filter(({ type }) => type === "error")).toEqual([
      { type: "error", code: "AGENT_CRASH", message: "Invalid request: mock failure", recoverable: false },
    ]);
  });
});
