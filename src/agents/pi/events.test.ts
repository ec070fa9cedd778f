import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { treeEvents } from "../shared/tree-events.ts";
import { replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const open = () => treeEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 }, "Sign in.");
const events = (name: string) => replay(open(), join(STREAMS, `${name}.jsonl`));

streamConformance(
  "Pi",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  open,
);

describe.each(["p15-tools.1", "p73-tools.1"])("a turn of %s", (name) => {
  const told = events(name);

  it("ends once, after all its model calls", () => {
    expect(told.filter(({ type }) => type === "turn_end")).toHaveLength(1);
    expect(told.filter(({ type }) => type === "step_start")).toHaveLength(4);
    expect(told.findLast(({ type }) => type === "message_stop")).toEqual({
      type: "message_stop",
      text: "Added `count` to `src/cart.js`; `shop total` still prints 3.75.",
    });
  });

  it("costs what the agent says, call by call", () => {
    const costs = told.flatMap((event) => (event.type === "cost" ? [event.cost.totalUsd] : []));
    expect(costs).toHaveLength(4);
    expect(costs.at(-1)).toBeCloseTo(0.00109665, 12);
  });
});

describe("tools", () => {
  it("are reported with what they did", () => {
    const told = events("p15-tools.1");
    expect(told.filter(({ type }) => type.startsWith("file_") || type.startsWith("shell_"))).toEqual([
      { type: "file_read", path: "src/index.js" },
      { type: "file_read", path: "src/cart.js" },
      {
        type: "shell_start",
        command: "node src/index.js total apple=1.50 pear=2.25 && git status --short",
        cwd: "/home/user/shop",
      },
      { type: "file_write", path: "NOTES.md", byteCount: 31 },
      { type: "shell_exit", exitCode: 0, durationMs: 236 },
    ]);
    expect(told.find(({ type }) => type === "tool_error")).toMatchObject({ toolName: "edit", durationMs: 9 });
  });
});

describe("failures", () => {
  it("are the last answer's, even if the program exits with 0", () => {
    expect(events("p15-error.1").filter(({ type }) => type === "error")).toMatchObject([
      { code: "AGENT_CRASH", message: expect.stringContaining("text is too strange"), recoverable: false },
    ]);
  });

  it("are dropped when another answer follows", () => {
    const stream = open();
    const answer = (fields: object) =>
      JSON.stringify({ type: "message_end", message: { role: "assistant", content: [], ...fields } });
    const told = [
      stream.line('{"type":"agent_start"}'),
      stream.line(answer({ stopReason: "error", errorMessage: "529 overloaded" })),
      stream.line('{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000}'),
      stream.line(answer({ stopReason: "stop" })),
      stream.line('{"type":"agent_settled"}'),
    ].flat();
    expect(told.map(({ type }) => type)).toEqual(["turn_start", "rate_limited", "turn_end"]);
  });
});
