/** One test for each known way to miscount Codex' usage. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../lib/json/fields.ts";
import type { UsageRecord } from "../adapter.ts";
import { countMessages } from "../in-memory.ts";
import { writeIn } from "../../../test/support/agents/made-home.ts";
import { history } from "./history.ts";
import { legacy, outline, uuidAt, WrittenHome } from "../../../test/support/agents/codex-home.ts";

let written: WrittenHome;
beforeEach(() => {
  written = new WrittenHome();
});
afterEach(() => written.remove());

const START = "2026-03-01T10:00:00.000Z";
const FORKED = "2026-03-01T12:00:00.000Z";
const THREAD = uuidAt(START);
const FORK = uuidAt(FORKED);
const at = legacy(START);

function inputs(usage: readonly UsageRecord[]): number[] {
  return usage.map((record) => record.tokens.input);
}

/** Usage that is not marked as another thread's. */
function ownInputs(sessionId: string): number[] {
  return inputs(written.usage(sessionId).filter((record) => !record.copied));
}

function keys(sessionId: string): string[] {
  return written.usage(sessionId).map((record) => record.key);
}

function expectTallied(): void {
  for (const source of written.sources()) {
    const reader = history.read(source, written.env, written.notes)!;
    expect(reader.counts!()).toEqual(countMessages(reader.messages()));
  }
}

describe("token counts", () => {
  it("are the last request's, never the running total's, and a repeated total is not a request", () => {
    written.rollout(THREAD, [
      at.meta(THREAD),
      at.prompt("a"),
      at.line("event_msg", { type: "token_count", info: null, rate_limits: {} }),
      at.reply("1"),
      at.count(100, 100),
      at.count(100, 100),
      at.reply("2"),
      at.count(130, 30),
      at.count(130, 30),
    ]);
    expect(inputs(written.usage(THREAD))).toEqual([100, 30]);
  });

  it("without a running total all count, even two equal ones", () => {
    const last = (input_tokens: number): Json =>
      at.line("event_msg", { type: "token_count", info: { last_token_usage: { input_tokens, output_tokens: 1 } } });
    written.rollout(THREAD, [
      at.meta(THREAD),
      at.prompt("a"),
      at.reply("1"),
      last(500),
      at.reply("2"),
      last(800),
      at.reply("3"),
      last(800),
    ]);
    expect(inputs(written.usage(THREAD))).toEqual([500, 800, 800]);
    expect(new Set(keys(THREAD)).size).toBe(3);
  });

  it("count again when a resumed thread restarts its total at zero", () => {
    const leg = [at.prompt("a"), at.reply("1"), at.count(100, 100), at.reply("2"), at.count(130, 30)];
    written.rollout(THREAD, [at.meta(THREAD), ...leg, ...leg]);
    expect(inputs(written.usage(THREAD))).toEqual([100, 30, 100, 30]);
    expect(new Set(keys(THREAD)).size).toBe(4);
  });

  it("split the input into fresh, cached and cache-written, and the reasoning is part of the output", () => {
    const usage = {
      input_tokens: 1000,
      cached_input_tokens: 600,
      cache_write_input_tokens: 300,
      output_tokens: 50,
      reasoning_output_tokens: 20,
    };
    written.rollout(THREAD, [
      at.meta(THREAD),
      at.prompt("a"),
      at.reply("1"),
      at.line("token_usage_record", { response_id: "resp_1", usage }),
    ]);
    expect(written.usage(THREAD)[0]!.tokens).toEqual({
      input: 100,
      cached: 600,
      cacheWrite: 300,
      cacheWrite1h: 0,
      output: 50,
      thinking: 20,
    });
    expect(written.messages(THREAD)[1]!.tokenUsage).toEqual({
      inputTokens: 100,
      cachedTokens: 600,
      cacheWriteTokens: 300,
      outputTokens: 50,
      thinkingTokens: 20,
    });
  });

  it("that are impossible are not summed", () => {
    const impossible = { input_tokens: 1.33e179, output_tokens: -5, cached_input_tokens: "7" };
    const record = at.line("token_usage_record", { response_id: "resp_1", usage: impossible });
    written.rollout(THREAD, [at.meta(THREAD), at.prompt("a"), at.reply("1"), record]);
    expect(written.usage(THREAD)).toEqual([]);
  });

  it("and records of usage in one file bill each request once", () => {
    written.rollout(THREAD, [
      at.meta(THREAD),
      at.prompt("old"),
      at.reply("1"),
      at.count(100, 100),
      // Resumed by a version that writes both kinds.
      at.prompt("new"),
      at.count(100, 100),
      at.reply("2"),
      at.record("resp_2", 40),
      at.record("resp_2", 40),
      at.count(140, 40),
      at.reply("3"),
      at.record("resp_3", 50),
      at.count(190, 50),
    ]);
    expect(inputs(written.usage(THREAD))).toEqual([100, 40, 50]);
    expect(written.messages(THREAD).flatMap((message) => message.tokenUsage?.inputTokens ?? [])).toEqual([100, 40, 50]);
    expectTallied();
  });

  it("that no record has make the cost unknown, not zero", () => {
    written.rollout(THREAD, [at.meta(THREAD), at.prompt("a"), at.reply("1")]);
    expect(written.read(THREAD).head.usageUnknown).toBe(true);
  });
});

describe("forks that copy", () => {
  const parent = [
    at.meta(THREAD),
    at.prompt("first"),
    at.turn(),
    at.reply("1"),
    at.count(100, 100),
    at.count(100, 100),
    at.prompt("second"),
    at.turn(),
    at.reply("2"),
    at.count(130, 30),
  ];
  const restamped = (records: readonly Json[], time: string): Json[] =>
    records.map((record) => ({ ...record, timestamp: time }));
  const own = (time: string): Json[] => {
    const later = legacy(time);
    return [later.prompt("third"), later.turn(), later.reply("3"), later.count(135, 5)];
  };
  const fork = legacy(FORKED);

  it.each([
    ["with new timestamps", restamped(parent, "2026-03-01T12:00:00.020Z")],
    ["with the original timestamps", parent],
  ])("%s bill only their own requests, and their copies carry the original's keys", (_, copied) => {
    written.rollout(THREAD, parent);
    written.rollout(FORK, [fork.meta(FORK, { forked_from_id: THREAD }), ...copied, ...own("2026-03-01T12:00:09.000Z")]);
    expect(ownInputs(FORK)).toEqual([5]);
    expect(keys(FORK).slice(0, 2)).toEqual(keys(THREAD));
    expect(outline(written.messages(FORK))).toEqual([
      "(inherited) user: first",
      "(inherited) assistant: 1",
      "(inherited) user: second",
      "(inherited) assistant: 2",
      "user: third",
      "assistant: 3",
    ]);
    const { head } = written.read(FORK);
    expect(head).toMatchObject({ title: "first", forkedFrom: THREAD, startedMs: Date.parse(FORKED) });
    expect(head.familyKeys).toEqual([FORK, THREAD]);
    expect(written.read(THREAD).head.familyKeys).toEqual([THREAD]);
    expect(history.summarize(written.source(FORK), written.env, written.notes)).toEqual(head);
    expectTallied();
  });

  it("are recognised by turn ids, even when the first own turn follows at once", () => {
    const turnOf = (time: string, text: string, total: number, last: number): Json[] => {
      const turn = legacy(time);
      const id = uuidAt(time, 7);
      return [
        turn.started(id),
        turn.prompt(text),
        turn.turn({ turn_id: id }),
        turn.reply(text),
        turn.count(total, last),
      ];
    };
    const original = [at.meta(THREAD), ...turnOf("2026-03-01T10:00:01.000Z", "old", 100, 100)];
    written.rollout(THREAD, original);
    written.rollout(FORK, [
      fork.meta(FORK, { forked_from_id: THREAD }),
      ...restamped(original, "2026-03-01T12:00:00.001Z"),
      ...turnOf("2026-03-01T12:00:00.002Z", "new", 140, 40),
    ]);
    expect(ownInputs(FORK)).toEqual([40]);
    expect(keys(FORK)[0]).toBe(keys(THREAD)[0]);
    expect(written.messages(FORK).map((message) => message.inherited ?? false)).toEqual([true, true, false, false]);
  });

  it("of forks omit requests whose thread is unknown", () => {
    const nested = uuidAt("2026-03-01T14:00:00.000Z");
    const again = legacy("2026-03-01T14:00:00.000Z");
    written.rollout(nested, [
      again.meta(nested, { forked_from_id: FORK }),
      ...restamped([fork.meta(FORK), ...parent, ...own(FORKED)], "2026-03-01T14:00:00.010Z"),
      ...restamped(own(FORKED), "2026-03-01T14:01:00.000Z").map((record) => renumbered(record)),
    ]);
    expect(inputs(written.usage(nested))).toEqual([7]);
    expect(written.read(nested).head.forkedFrom).toBe(FORK);
  });

  it("that inherit only the running total do not bill it", () => {
    const later = legacy("2026-03-01T12:00:09.000Z");
    written.rollout(FORK, [
      fork.meta(FORK, { forked_from_id: THREAD }),
      later.prompt("third"),
      later.count(130, 30),
      later.reply("3"),
      later.count(135, 5),
    ]);
    expect(inputs(written.usage(FORK))).toEqual([5]);
  });

  /** Another request: 7 tokens on top. */
  function renumbered(record: Json): Json {
    return (record["payload"] as Json)["type"] === "token_count" ? legacy(START).count(142, 7) : record;
  }
});

describe("sub-agents that get their parent's context", () => {
  it("do not bill the parent's turns again", () => {
    const parentTurn = uuidAt("2026-03-01T11:59:00.000Z", 1);
    const childTurn = uuidAt("2026-03-01T12:00:00.005Z", 2);
    const child = legacy(FORKED);
    written.rollout(FORK, [
      child.meta(FORK, { source: { subagent: { thread_spawn: { parent_thread_id: THREAD, depth: 1 } } } }),
      // No header and no items of the parent: events and final answers only.
      child.started(parentTurn),
      child.prompt("parent's prompt"),
      child.reply("parent's answer"),
      child.count(500, 500),
      child.started(childTurn),
      child.prompt("the task"),
      child.turn({ turn_id: childTurn }),
      child.reply("done"),
      child.count(520, 20),
    ]);
    expect(ownInputs(FORK)).toEqual([20]);
    expect(written.read(FORK).head).toMatchObject({
      title: "the task",
      parentId: THREAD,
      familyKeys: [FORK, THREAD],
    });
    expect(written.read(FORK).head.forkedFrom).toBeUndefined();
    expect(outline(written.messages(FORK))).toEqual([
      "(inherited) user: parent's prompt",
      "(inherited) assistant: parent's answer",
      "user: the task",
      "assistant: done",
    ]);
  });
});

describe("models and prices", () => {
  it("come from the turn, and the most used one names the session", () => {
    written.rollout(THREAD, [
      at.meta(THREAD),
      at.prompt("a"),
      at.turn({ model: "gpt-a" }),
      at.reply("1"),
      at.record("resp_1", 10),
      at.reply("2"),
      at.record("resp_2", 10),
      at.prompt("b"),
      at.turn({ model: "gpt-b" }),
      at.reply("3"),
      at.record("resp_3", 10),
    ]);
    expect(written.usage(THREAD).map((record) => record.model)).toEqual(["gpt-a", "gpt-a", "gpt-b"]);
    expect(written.messages(THREAD).flatMap((message) => message.model ?? [])).toEqual(["gpt-a", "gpt-a", "gpt-b"]);
    expect(written.read(THREAD).head.model).toBe("gpt-a");
  });

  it("stay those in use when auto-review labels a turn", () => {
    const turns = [at.turn({ model: "gpt-a" }), at.turn({ model: "codex-auto-review" })];
    written.rollout(THREAD, [at.meta(THREAD), at.prompt("a"), ...turns, at.reply("1"), at.record("resp_1", 10)]);
    expect(written.usage(THREAD)[0]!.model).toBe("gpt-a");
  });

  it("carry the service tier where it is recorded", () => {
    const tier = (service_tier?: string): Json =>
      at.line("event_msg", { type: "thread_settings_applied", thread_settings: { service_tier } });
    written.rollout(THREAD, [
      at.meta(THREAD),
      at.prompt("a"),
      tier("priority"),
      at.reply("1"),
      at.record("resp_1", 10),
      tier("default"),
      at.reply("2"),
      at.record("resp_2", 10),
      tier(),
      at.reply("3"),
      at.record("resp_3", 10),
    ]);
    expect(written.usage(THREAD).map((record) => record.modifiers)).toEqual([["priority"], undefined, undefined]);
  });

  it("are the standard ones where no service tier is recorded, whatever today's settings say", () => {
    writeIn(written.env, ".codex/config.toml", 'service_tier = "priority"\n');
    written.rollout(THREAD, [at.meta(THREAD), at.prompt("a"), at.reply("1"), at.record("resp_1", 10)]);
    expect(written.usage(THREAD).map((record) => record.modifiers)).toEqual([undefined]);
  });

  it("are missing where no turn names a model", () => {
    written.rollout(THREAD, [at.meta(THREAD), at.prompt("a"), at.reply("1"), at.count(100, 100)]);
    expect(written.usage(THREAD).map(({ model, tokens }) => [model, tokens.input])).toEqual([[undefined, 100]]);
    expect(written.read(THREAD).head.model).toBeUndefined();
  });

  it("count web searches with the request that made them", () => {
    const search = (type: string): Json => at.line("response_item", { type: "web_search_call", action: { type } });
    const records = [search("search"), search("open_page"), search("search"), at.reply("1"), at.record("resp_1", 10)];
    written.rollout(THREAD, [at.meta(THREAD), at.prompt("a"), ...records, at.reply("2"), at.record("resp_2", 10)]);
    expect(written.usage(THREAD).map((record) => record.webSearches)).toEqual([2, undefined]);
  });
});

describe("a header of hundreds of kilobytes", () => {
  it("does not hide anything", () => {
    const meta = at.meta(THREAD, { base_instructions: { text: "x".repeat(400_000) }, originator: "some_ide" });
    written.rollout(THREAD, [meta, at.prompt("a"), at.reply("1"), at.count(100, 100)]);
    expect(inputs(written.usage(THREAD))).toEqual([100]);
    expect(history.summarize(written.source(THREAD), written.env, written.notes)).toEqual(written.read(THREAD).head);
  });
});
