import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UsageRecord } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase } from "../../../test/support/agents/made-home.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import { homeWith, open, SCHEMA_1 } from "../../../test/support/agents/hermes-store.ts";

const TALK = `INSERT INTO messages(session_id, role, content) VALUES ('s', 'user', 'Hello'), ('s', 'assistant', 'Hi');`;

function usageOf(...statements: string[]): UsageRecord[] {
  return [...open(homeWith(TALK, ...statements), "s").reader.usage()];
}

/** One usage row with 100 input and 50 output tokens and these cost columns. */
function costOf(status: string | null, estimated: number, actual: number): number | undefined {
  const [record] = usageOf(
    "INSERT INTO sessions(id) VALUES ('s');",
    `INSERT INTO session_model_usage(session_id, model, input_tokens, output_tokens, cost_status, estimated_cost_usd,
       actual_cost_usd) VALUES ('s', 'm', 100, 50, ${status === null ? "NULL" : `'${status}'`}, ${estimated}, ${actual});`,
  );
  return record!.reportedMicroUsd;
}

describe("a cost written by Hermes", () => {
  it("is the billed amount before the estimate", () => {
    expect(costOf("actual", 0.25, 0.5)).toBe(500_000);
    expect(costOf("estimated", 0.25, 0)).toBe(250_000);
  });

  it("of zero is a price only when the status says that the price was known", () => {
    expect(costOf("estimated", 0, 0)).toBe(0);
    expect(costOf("actual", 0, 0)).toBe(0);
    expect(costOf("unknown", 0, 0)).toBeUndefined();
    expect(costOf("included", 0, 0)).toBeUndefined();
    expect(costOf(null, 0, 0)).toBeUndefined();
  });

  it("without a status counts when it is more than zero, as on side calls", () => {
    expect(costOf(null, 0.0003705, 0)).toBeCloseTo(370.5, 9);
  });

  it("beyond all bounds is ignored", () => {
    expect(costOf("estimated", 1.33e179, 0)).toBeUndefined();
    expect(costOf("estimated", -1, 0)).toBeUndefined();
  });
});

describe("token counts", () => {
  it("take reasoning as part of the output and never more than it", () => {
    const [record] = usageOf(
      "INSERT INTO sessions(id) VALUES ('s');",
      `INSERT INTO session_model_usage(session_id, model, input_tokens, output_tokens, reasoning_tokens, cache_read_tokens,
         cache_write_tokens) VALUES ('s', 'm', 10, 50, 80, 30, 20);`,
    );
    expect(record!.tokens).toEqual({
      input: 10,
      output: 50,
      thinking: 50,
      cached: 30,
      cacheWrite: 20,
      cacheWrite1h: 0,
    });
  });

  it("beyond all bounds are dropped and reported, and the rest of the store is read", () => {
    const env = homeWith(
      TALK,
      `INSERT INTO sessions(id) VALUES ('s'), ('fine');
       INSERT INTO messages(session_id, role, content) VALUES ('fine', 'user', 'Hello');
       INSERT INTO session_model_usage(session_id, model, input_tokens, output_tokens, cache_read_tokens)
         VALUES ('s', 'm', 1.33e179, 7, 9223372036854775807);`,
    );
    expect(listedIds(history, env)).toEqual(["s", "fine"]);
    const { reader, notes } = open(env, "s");
    const [record] = [...reader.usage()];
    expect(record).toMatchObject({ tokens: { input: 0, cached: 0, output: 7 }, lowerBound: true });
    expect(notes.damagedLines).toBeGreaterThan(0);
  });

  it("near zero, as in one-shot runs, are used as written", () => {
    const [record] = usageOf(
      "INSERT INTO sessions(id, model, input_tokens, output_tokens) VALUES ('s', 'm', 13, 6410);",
    );
    expect(record!.tokens).toMatchObject({ input: 13, output: 6410 });
  });

  it("that Hermes lost are unknown, not zero", () => {
    const { head, reader } = open(homeWith(TALK, "INSERT INTO sessions(id, model) VALUES ('s', 'm');"), "s");
    expect(head.usageUnknown).toBe(true);
    expect([...reader.usage()]).toEqual([]);
  });

  it("of side calls do not make those of the conversation known", () => {
    const { head, reader } = open(
      homeWith(
        TALK,
        `INSERT INTO sessions(id) VALUES ('s');
         INSERT INTO session_model_usage(session_id, model, task, input_tokens) VALUES ('s', 'm', 'title_generation', 211);`,
      ),
      "s",
    );
    expect(head.usageUnknown).toBe(true);
    expect([...reader.usage()].map((record) => record.tokens.input)).toEqual([211]);
  });

  it("are not missing in a branch that was never continued", () => {
    const { head } = open(
      homeWith(
        `INSERT INTO sessions(id, model_config, started_at) VALUES ('s', '{"_branched_from":"p"}', 1790000100);
         INSERT INTO messages(session_id, role, content) VALUES ('s', 'user', 'Hello'), ('s', 'assistant', 'Hi');`,
      ),
      "s",
    );
    expect(head.usageUnknown).toBeUndefined();
  });
});

describe("a session with several models", () => {
  const ROWS = `
    INSERT INTO sessions(id, model, input_tokens, output_tokens, estimated_cost_usd, cost_status)
      VALUES ('s', 'first', 900, 90, 0.9, 'estimated');
    INSERT INTO session_model_usage(session_id, model, api_call_count, input_tokens, output_tokens, estimated_cost_usd,
      cost_status, last_seen) VALUES ('s', 'first', 2, 300, 30, 0.3, 'estimated', 1790000010),
      ('s', 'second', 2, 600, 60, 0.6, 'estimated', 1790000020);`;

  it("has one record for each, dated by its last call", () => {
    expect(usageOf(ROWS).map(({ model, at, tokens }) => [model, at, tokens.input])).toEqual([
      ["first", 1790000010000, 300],
      ["second", 1790000020000, 600],
    ]);
  });

  it("is named after the model with the most calls, of equals the last", () => {
    expect(open(homeWith(TALK, ROWS), "s").head.model).toBe("second");
  });

  it("does not say which of them made a reply", () => {
    const messages = [...open(homeWith(TALK, ROWS), "s").reader.messages()];
    expect(messages.map((message) => message.model)).toEqual([undefined, undefined]);
  });

  it("adds what the session's own sums exceed the rows by, since it began before there were rows", () => {
    const records = usageOf(ROWS, "UPDATE sessions SET input_tokens = 1000, estimated_cost_usd = 1.0");
    expect(records.at(-1)).toMatchObject({ key: "s", model: "first", tokens: { input: 100, output: 0 } });
    expect(records.at(-1)!.reportedMicroUsd).toBeCloseTo(100_000, 6);
  });
});

it("uses the session's own sums in databases without the table of models", () => {
  const env = madeHome();
  makeDatabase(
    join(env.home, ".hermes", "state.db"),
    SCHEMA_1,
    `INSERT INTO sessions(id, source, model, started_at, input_tokens, output_tokens)
       VALUES ('s', 'cli', 'm', 1771500000, 120, 12);
     INSERT INTO messages(session_id, role, content, timestamp) VALUES ('s', 'user', 'Hello', 1771500001.5),
       ('s', 'assistant', 'Hi', 1771500002);`,
  );
  const { head, reader, notes } = open(env, "s");
  expect(head).toEqual({
    title: "Hello",
    createdMs: 1771500000000,
    updatedMs: 1771500002000,
    startedMs: 1771500000000,
    model: "m",
  });
  expect([...reader.usage()]).toEqual([
    {
      key: "s",
      at: 1771500002000,
      model: "m",
      tokens: { input: 120, output: 12, cached: 0, cacheWrite: 0, cacheWrite1h: 0, thinking: 0 },
    },
  ]);
  expect(notes).toEqual(new ReadNotes());
});
