import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { treeEvents } from "../shared/tree-events.ts";
import { replay, streamConformance } from "../../../test/support/agents/stream-conformance.ts";

const STREAMS = join(import.meta.dirname, "fixtures/stream");
const open = () => treeEvents({ cwd: "/home/user/shop", session: { kind: "new" }, now: () => 0 }, "Sign in.");
const events = (name: string) => replay(open(), join(STREAMS, `${name}.jsonl`));

streamConformance(
  "omp",
  readdirSync(STREAMS).map((name) => ({ name, path: join(STREAMS, name) })),
  open,
);

describe("a turn", () => {
  it("continues after a reminder of open tasks", () => {
    const told = events("o18-tools.1");
    expect(told.filter(({ type }) => type === "turn_end")).toHaveLength(1);
    expect(told.flatMap((event) => (event.type === "message_stop" ? [event.text] : [])).slice(0, 3)).toEqual([
      "I will look at the code.",
      "Noted the `count` command; `shop total` still prints 3.75.",
      "Done.",
    ]);
  });

  it("has tool inputs without the stated intent", () => {
    expect(events("o18-tools.1").find(({ type }) => type === "tool_call_ready")).toMatchObject({
      toolName: "read",
      input: { path: "src/index.js" },
    });
  });
});

describe("failures", () => {
  it("are what the service answered", () => {
    expect(events("o18-error.1").filter(({ type }) => type === "error")).toMatchObject([
      { code: "AGENT_CRASH", recoverable: false },
    ]);
  });
});
