/** One test for each trap in Copilot's counts. */
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentEnv, SessionReader, UsageRecord } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase, writeIn } from "../../../test/support/agents/made-home.ts";
import copilot from "./index.ts";

let env: AgentEnv;
let eventNumber: number;

beforeEach(() => {
  env = madeHome();
  eventNumber = 0;
});

const ID = "11111111-2222-4333-8444-555555555555";
const OTHER = "99999999-2222-4333-8444-555555555555";
const THIRD = "77777777-2222-4333-8444-555555555555";

function time(second: number): string {
  return new Date(Date.UTC(2026, 8, 1, 10, 0, second)).toISOString();
}

function event(type: string, data: object, second: number, more: object = {}): object {
  return { type, data, id: `e${++eventNumber}`, timestamp: time(second), parentId: null, ...more };
}

const start = (id = ID, second = 0): object =>
  event("session.start", { sessionId: id, startTime: time(second) }, second);
const prompt = (second: number): object => event("user.message", { content: "Hi" }, second);
const reply = (second: number, more: object = {}): object =>
  event("assistant.message", { messageId: `m${second}`, content: "Hello", model: "gpt-5.4", ...more }, second);

function usage(apiCallId: string, input: number, second: number, more: object = {}): object {
  const counts = { model: "gpt-5.4", inputTokens: input, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return event("session.usage_record", { usage: { ...counts, duration: 5, apiCallId, ...more } }, second);
}

function metrics(count: number, input: number, output: number, more: object = {}): object {
  const counts = { inputTokens: input, outputTokens: output, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { "gpt-5.4": { requests: { count, cost: 33 }, usage: counts, ...more } };
}

const shutdown = (modelMetrics: object, second: number): object => event("session.shutdown", { modelMetrics }, second);

function write(events: object[], id = ID): void {
  const lines = events.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeIn(env, `.copilot/session-state/${id}/events.jsonl`, lines);
}

function read(id = ID): SessionReader {
  const source = copilot.history.listSessions(env, new ReadNotes()).find((item) => item.sessionId === id)!;
  return copilot.history.read(source, env, new ReadNotes())!;
}

/** Events one by one, or one array per run. */
function bill(...events: (object | object[])[]): UsageRecord[] {
  write([start(), ...events.flat()]);
  return [...read().usage()];
}

const inputs = (records: readonly UsageRecord[]): number[] => records.map((record) => record.tokens.input);

interface StoreRow {
  input: number;
  second: number;
  duration?: number;
  nanoAiu?: number;
}

function store(rows: readonly StoreRow[]): void {
  makeDatabase(
    join(env.home, ".copilot/session-store.db"),
    "CREATE TABLE sessions (id TEXT, summary TEXT, created_at TEXT, updated_at TEXT)",
    "CREATE TABLE turns (session_id TEXT, turn_index INTEGER, user_message TEXT, assistant_response TEXT, timestamp TEXT)",
    `CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY, session_id TEXT, model TEXT,
      input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER,
      total_nano_aiu INTEGER, duration_ms INTEGER, created_at TEXT)`,
    ...rows.map(
      ({ input, second, duration = 5, nanoAiu }) =>
        `INSERT INTO assistant_usage_events
          VALUES (NULL, '${ID}', 'gpt-5.4', ${input}, 10, 0, 0, ${nanoAiu ?? "NULL"}, ${duration}, '${time(second)}')`,
    ),
    `INSERT INTO sessions VALUES ('${ID}', 'From the store', '2026-09-01 10:00:00', '${time(9)}')`,
    `INSERT INTO turns VALUES ('${ID}', 0, 'Hi', 'Hello', '${time(3)}')`,
  );
}

describe("traces for OpenTelemetry", () => {
  it("are not billed beside the events with the same usage", () => {
    const span = {
      name: "chat gpt-5.4",
      attributes: { "gen_ai.request.model": "gpt-5.4", "gen_ai.usage.input_tokens": 700 },
    };
    for (const place of [".copilot/otel.jsonl", `.copilot/session-state/${ID}/otel.jsonl`])
      writeIn(env, place, `${JSON.stringify(span)}\n`);
    expect(inputs(bill(prompt(1), reply(2), usage("call-1", 700, 3)))).toEqual([700]);
  });
});

describe("input", () => {
  it("includes cache reads and writes, which are subtracted", () => {
    const [record] = bill(
      prompt(1),
      usage("a", 1000, 2, { cacheReadTokens: 700, cacheWriteTokens: 100, reasoningTokens: 4 }),
      reply(3),
    );
    expect(record!.tokens).toEqual({
      input: 200,
      cached: 700,
      cacheWrite: 100,
      cacheWrite1h: 0,
      output: 10,
      thinking: 4,
    });
  });
});

describe("totals of a shutdown", () => {
  it("are not added to requests reported one by one", () => {
    expect(inputs(bill(prompt(1), usage("a", 500, 2), reply(3), shutdown(metrics(1, 500, 10), 4)))).toEqual([500]);
  });

  it("are not added to requests that only the store has", () => {
    store([{ input: 500, second: 2 }]);
    expect(inputs(bill(prompt(1), reply(3), shutdown(metrics(1, 500, 10), 4)))).toEqual([500]);
  });

  it("that span several runs count by their growth", () => {
    const records = bill(
      [prompt(1), reply(2), shutdown(metrics(1, 500, 10), 3)],
      [prompt(4), reply(5), reply(6), shutdown(metrics(3, 1700, 30), 7)],
    );
    expect(inputs(records)).toEqual([500, 1200]);
  });

  it("that shrink were restarted and count in full", () => {
    const records = bill(
      [prompt(1), reply(2), reply(3), shutdown(metrics(2, 900, 20), 4)],
      [prompt(5), reply(6), shutdown(metrics(1, 300, 10), 7)],
    );
    expect(inputs(records)).toEqual([900, 300]);
  });

  it("that grew but equal the run's replies were restarted too", () => {
    const records = bill(
      [prompt(1), reply(2), shutdown(metrics(1, 500, 10), 3)],
      [prompt(4), reply(5), reply(6), shutdown(metrics(2, 1200, 20), 7)],
    );
    expect(inputs(records)).toEqual([500, 1200]);
  });

  it("fill in the runs of an older version in a session that a newer one resumed", () => {
    const records = bill(
      [prompt(1), reply(2), shutdown(metrics(1, 500, 10), 3)],
      [prompt(4), usage("a", 700, 5), reply(6), shutdown(metrics(1, 700, 10), 7)],
    );
    expect(inputs(records)).toEqual([500, 700]);
  });

  it("that are missing after a crash leave the output of the replies as a lower bound", () => {
    const records = bill(
      [prompt(1), reply(2, { outputTokens: 10 }), shutdown(metrics(1, 500, 10), 3)],
      [prompt(4), reply(5, { outputTokens: 21 })],
    );
    expect(records.map(({ tokens, lowerBound }) => [tokens.input, tokens.output, lowerBound])).toEqual([
      [500, 10, undefined],
      [0, 21, true],
    ]);
  });
});

it("replies without a model and without ids are billed for their output, as a lower bound", () => {
  const bare = { id: undefined };
  const said = { messageId: undefined, model: undefined };
  const records = bill(
    prompt(1),
    { ...reply(2, { ...said, outputTokens: 80 }), ...bare },
    { ...reply(3, { ...said, outputTokens: 125 }), ...bare },
  );
  expect(records.map(({ tokens, lowerBound, model }) => [tokens.output, lowerBound, model])).toEqual([
    [80, true, undefined],
    [125, true, undefined],
  ]);
  expect(read().head.usageUnknown).toBeUndefined();
});

describe("dollars", () => {
  it("are not the cost of requests, which is in premium requests", () => {
    const [record] = bill(prompt(1), usage("a", 500, 2, { cost: 3 }), reply(3), shutdown(metrics(1, 500, 10), 4));
    expect(record!.reportedMicroUsd).toBeUndefined();
    expect(read().reportedTotals).toBeUndefined();
  });

  it("are AI credits divided by 1e11, from the request or from the store's row of it", () => {
    store([
      { input: 500, second: 2, nanoAiu: 9 },
      { input: 600, second: 4, nanoAiu: 250_000_000 },
    ]);
    const copilotUsage = { totalNanoAiu: 1_510_581_560_000 };
    const records = bill(prompt(1), usage("a", 500, 2, { copilotUsage }), reply(3), usage("b", 600, 4), reply(5));
    expect(records.map((record) => [record.key, record.reportedMicroUsd])).toEqual([
      ["a", 15_105_815.6],
      ["b", 2500],
    ]);
  });

  it("of a run with totals only are its share of the credits", () => {
    const records = bill(
      [prompt(1), reply(2), shutdown(metrics(1, 500, 10, { totalNanoAiu: 1e9 }), 3)],
      [prompt(4), reply(5), reply(6), shutdown(metrics(3, 1700, 30, { totalNanoAiu: 4e9 }), 7)],
    );
    expect(records.map((record) => record.reportedMicroUsd)).toEqual([10_000, 30_000]);
  });

  it("reported only for the session cover the requests before", () => {
    bill(
      prompt(1),
      usage("a", 500, 2),
      reply(3),
      shutdown(metrics(1, 500, 10, { totalNanoAiu: 1e9 }), 4),
      usage("b", 9, 5),
    );
    expect(read().reportedTotals!()).toEqual([{ at: Date.parse(time(4)), covers: 1, byModel: { "gpt-5.4": 10_000 } }]);
  });

  it("are not set by zero credits, nor by credits from before they were billed", () => {
    const early = { copilotUsage: { totalNanoAiu: 5e9 } };
    const record = usage("b", 600, 4, early) as { timestamp: string };
    record.timestamp = "2026-05-31T23:59:59.000Z";
    const records = bill(prompt(1), usage("a", 500, 2, { copilotUsage: { totalNanoAiu: 0 } }), reply(3), record);
    expect(records.map((item) => item.reportedMicroUsd)).toEqual([undefined, undefined]);
  });
});

describe("the store", () => {
  it("adds requests that a rewind cut out of the events, and none twice", () => {
    store([
      { input: 500, second: 2 },
      { input: 500, second: 3 },
      { input: 600, second: 4 },
    ]);
    const records = bill(prompt(1), usage("a", 500, 2), usage("b", 600, 4), reply(5));
    expect(records.map((record) => [record.key, record.tokens.input])).toEqual([
      ["a", 500],
      [`${ID}:2`, 500],
      ["b", 600],
    ]);
  });

  it("is enough to show and bill a session whose folder is gone", () => {
    store([{ input: 500, second: 2 }]);
    const reader = read();
    expect(reader.head).toEqual({
      title: "From the store",
      createdMs: Date.parse("2026-09-01T10:00:00Z"),
      updatedMs: Date.parse(time(3)),
      model: "gpt-5.4",
    });
    expect([...reader.messages()].map((message) => message.content)).toEqual(["Hi", "Hello"]);
    expect(inputs([...reader.usage()])).toEqual([500]);
  });
});

describe("a fork", () => {
  const note = (parent: string, own: string, second: number): object =>
    event(
      "session.info",
      { infoType: "fork", message: `Forked from "A (b) as "c"" (${parent}) as "D" (${own}).` },
      second,
    );

  it("of a fork has the last one as its parent, and pays for what came after it", () => {
    const first = [prompt(1), usage("a", 500, 2, { accounting: { sourceSessionId: ID } }), reply(3)];
    const second = [note(ID, OTHER, 4), usage("b", 600, 5, { accounting: { sourceSessionId: OTHER } }), reply(6)];
    const third = [note(OTHER, THIRD, 7), usage("c", 700, 8, { accounting: { sourceSessionId: THIRD } }), reply(9)];
    write([start(THIRD, 7), ...first, ...second, ...third], THIRD);
    const reader = read(THIRD);
    expect(reader.head.forkedFrom).toBe(OTHER);
    expect([...reader.usage()].map(({ key, copied }) => [key, copied])).toEqual([
      ["a", true],
      ["b", true],
      ["c", undefined],
    ]);
  });

  it("copies its parent's sub-agents' requests too", () => {
    const helper = usage("a", 500, 2, { parentToolCallId: "t", accounting: { sourceSessionId: THIRD } });
    write([start(OTHER, 4), prompt(1), helper, reply(3), note(ID, OTHER, 4), prompt(5)], OTHER);
    expect([...read(OTHER).usage()]).toMatchObject([{ key: "a", subagent: "t", copied: true }]);
  });

  it("without a note is recognised by its first prompt and its later start", () => {
    const events = [prompt(1), reply(3)];
    write([start(ID, 0), ...events]);
    write([start(OTHER, 7), ...events], OTHER);
    const family = copilot.history
      .listSessions(env, new ReadNotes())
      .map((source) => ({ source, head: read(source.sessionId).head }));
    expect(copilot.history.lineage(family)).toEqual(new Map([[OTHER, ID]]));
  });
});

it("text that a skill writes in the user's name is not a prompt or a title, even without a source", () => {
  const skill = event("user.message", { content: '<skill-context name="x">Do it so</skill-context>' }, 1);
  write([start(), skill, prompt(2), reply(3)]);
  const reader = read();
  expect(Array.from(reader.messages(), ({ role, content }) => `${role}: ${content}`)).toEqual([
    "user: Hi",
    "assistant: Hello",
  ]);
  expect(reader.head.title).toBe("Hi");
});
