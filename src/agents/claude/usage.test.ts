/** One test for each way to miscount Claude Code's usage. */
import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { ID, reply, usageOf, write } from "../../../test/support/agents/claude-session.ts";

describe("the bill of a session", () => {
  it("takes the largest of each field when a reply's records repeat or grow", () => {
    const home = tempHome();
    write(home, [
      reply({ id: "msg_1", stop: null, usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 500 } }),
      reply({ id: "msg_1", usage: { input_tokens: 10, output_tokens: 240, cache_read_input_tokens: 500 } }),
      reply({ id: "msg_1", stop: null, usage: { input_tokens: 10, output_tokens: 8, cache_read_input_tokens: 500 } }),
    ]);
    expect(usageOf(home)).toEqual([
      expect.objectContaining({
        key: "msg_1",
        tokens: { input: 10, output: 240, cached: 500, cacheWrite: 0, cacheWrite1h: 0, thinking: 0 },
      }),
    ]);
    expect(usageOf(home)[0]!.lowerBound).toBeUndefined();
  });

  it("identifies a reply by its message id without a request id, and by its uuid without either", () => {
    const home = tempHome();
    const usage = { input_tokens: 1, output_tokens: 1 };
    write(home, [
      reply({ id: "msg_1", usage, requestId: "" }),
      reply({ id: "msg_1", usage, requestId: undefined }),
      reply({ usage, uuid: "aaaaaaaa-0000-4000-8000-000000000000", requestId: undefined }),
      reply({ usage, uuid: "bbbbbbbb-0000-4000-8000-000000000000", requestId: undefined }),
    ]);
    expect(usageOf(home).map((record) => [record.key, record.copied])).toEqual([
      ["msg_1", undefined],
      ["uuid:aaaaaaaa-0000-4000-8000-000000000000", undefined],
      ["uuid:bbbbbbbb-0000-4000-8000-000000000000", undefined],
    ]);
  });

  it("marks a reply without a stop reason, or cut off by the user, as a lower bound", () => {
    const home = tempHome();
    write(home, [
      reply({ id: "msg_1", stop: null, usage: { input_tokens: 10, output_tokens: 1 } }),
      reply({ id: "msg_2", stop: null, isAbortedMidStream: true, usage: { input_tokens: 10, output_tokens: 1 } }),
    ]);
    expect(usageOf(home).map((record) => record.lowerBound)).toEqual([true, true]);
  });

  it("marks history copied in by a branch, a fork or an old resume", () => {
    const home = tempHome();
    const usage = { input_tokens: 1, output_tokens: 1 };
    const queue = JSON.stringify({
      type: "queue-operation",
      operation: "enqueue",
      timestamp: "2026-05-02T10:00:00Z",
      sessionId: ID,
    });
    write(home, [
      queue,
      reply({ id: "msg_old", usage }),
      reply({ id: "msg_new", usage, timestamp: "2026-05-02T10:01:00Z" }),
    ]);
    expect(usageOf(home).map((record) => record.copied)).toEqual([true, undefined]);
    write(home, [
      reply({ id: "msg_old", usage, forkedFrom: { sessionId: "p", messageUuid: "u" } }),
      reply({ id: "msg_new", usage }),
    ]);
    expect(usageOf(home).map((record) => record.copied)).toEqual([true, undefined]);
    write(home, [reply({ id: "msg_old", usage, requestId: undefined }), reply({ id: "msg_new", usage })]);
    expect(usageOf(home).map((record) => record.copied)).toEqual([true, undefined]);
  });

  it("bills a reply that a side question replays to the main line", () => {
    const home = tempHome();
    const usage = { input_tokens: 1, output_tokens: 1 };
    write(home, [reply({ id: "msg_1", usage, isSidechain: true, requestId: "req_2" }), reply({ id: "msg_1", usage })]);
    expect(usageOf(home)).toEqual([expect.not.objectContaining({ subagent: expect.anything() })]);
  });

  it("adds sub-agents at any depth once and leaves journals alone", () => {
    const home = tempHome();
    const usage = { input_tokens: 1, output_tokens: 1 };
    write(home, [reply({ id: "msg_main", usage })]);
    write(home, [reply({ id: "msg_a", usage, isSidechain: true, agentId: "aaa" })], `${ID}/subagents/agent-aaa.jsonl`);
    // The final count of every fifth sub-agent's reply is missing.
    write(
      home,
      [reply({ id: "msg_b", usage, isSidechain: true, stop: null })],
      `${ID}/subagents/workflows/run-1/agent-bbb.jsonl`,
    );
    write(home, [reply({ id: "msg_c", usage })], `${ID}/subagents/workflows/run-1/journal.jsonl`);
    expect(usageOf(home).map((record) => [record.key, record.subagent, record.lowerBound])).toEqual([
      ["msg_main", undefined, undefined],
      ["msg_a", "aaa", undefined],
      ["msg_b", "bbb", true],
    ]);
  });

  it("keeps a sub-agent beside the session whose id is not a number", () => {
    const home = tempHome();
    const usage = { input_tokens: 1, output_tokens: 1 };
    write(home, [reply({ id: "msg_main", usage })]);
    write(home, [reply({ id: "msg_a", usage, isSidechain: true, agentId: "x-y_z" })], "agent-x-y_z.jsonl");
    expect(usageOf(home).map((record) => [record.key, record.subagent])).toEqual([
      ["msg_main", undefined],
      ["msg_a", "x-y_z"],
    ]);
  });

  it("does not count the sums inside a sub-agent's result as usage", () => {
    const home = tempHome();
    const result = JSON.stringify({
      type: "user",
      uuid: "cccccccc-0000-4000-8000-000000000000",
      sessionId: ID,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "done" }] },
      toolUseResult: { totalTokens: 99_999, usage: { input_tokens: 50_000, output_tokens: 40_000 } },
    });
    write(home, [reply({ id: "msg_1", usage: { input_tokens: 3, output_tokens: 4 } }), result]);
    expect(usageOf(home).map((record) => record.tokens.input)).toEqual([3]);
  });

  it("distinguishes 1-hour cache writes from 5-minute ones", () => {
    const home = tempHome();
    write(home, [
      reply({
        id: "msg_1",
        usage: {
          cache_creation_input_tokens: 300,
          cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
        },
      }),
      reply({ id: "msg_2", usage: { cache_creation_input_tokens: 300 } }),
      reply({
        id: "msg_3",
        usage: { cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 } },
      }),
    ]);
    expect(usageOf(home).map(({ tokens }) => [tokens.cacheWrite, tokens.cacheWrite1h])).toEqual([
      [300, 200],
      [300, 0],
      [300, 200],
    ]);
  });

  it("includes fast mode, region and web searches", () => {
    const home = tempHome();
    write(home, [
      reply({
        id: "msg_1",
        usage: { output_tokens: 1, speed: "fast", inference_geo: "us", server_tool_use: { web_search_requests: 2 } },
      }),
      reply({ id: "msg_2", usage: { output_tokens: 1, speed: "standard", inference_geo: "" } }),
    ]);
    const [fast, plain] = usageOf(home);
    expect(fast).toMatchObject({ modifiers: ["fast", "geo:us"], webSearches: 2 });
    expect(plain!.modifiers).toBeUndefined();
    expect(plain!.webSearches).toBeUndefined();
  });

  it("includes fast mode and web searches that only the last record of a reply mentions", () => {
    const home = tempHome();
    const last = { output_tokens: 50, speed: "fast", server_tool_use: { web_search_requests: 3 } };
    write(home, [
      reply({
        id: "msg_1",
        stop: null,
        usage: { output_tokens: 1, server_tool_use: { web_search_requests: 0 } },
      }),
      reply({ id: "msg_1", usage: last }),
    ]);
    expect(usageOf(home)).toEqual([expect.objectContaining({ modifiers: ["fast"], webSearches: 3 })]);
  });

  it("counts web searches that only their results mention, and none twice", () => {
    const home = tempHome();
    const calling = (id: string, calls: readonly string[], told: number): string =>
      reply({
        id,
        usage: {},
        timestamp: "2026-05-01T10:00:00.000Z",
        message: {
          id,
          role: "assistant",
          model: "claude-opus-5",
          content: calls.map((call) => ({ type: "tool_use", id: call, name: "WebSearch", input: { query: "q" } })),
          stop_reason: "tool_use",
          usage: { output_tokens: 1, server_tool_use: { web_search_requests: told } },
        },
      });
    const result = (call: string, searchCount: number): string =>
      JSON.stringify({
        type: "user",
        uuid: `${call}-result`,
        parentUuid: null,
        sessionId: ID,
        timestamp: "2026-05-01T10:00:01.000Z",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: call, content: "found" }] },
        toolUseResult: { query: "q", results: [], durationSeconds: 1, searchCount, toolStats: { searchCount: 99 } },
      });
    write(home, [
      calling("msg_1", ["call_1", "call_2"], 0),
      result("call_1", 2),
      result("call_2", 1),
      result("call_2", 1),
      calling("msg_2", ["call_3"], 5),
      result("call_3", 1),
      result("call_of_nobody", 7),
    ]);
    write(home, [calling("msg_h", ["call_h"], 0), result("call_h", 4)], `${ID}/subagents/agent-aaa.jsonl`);
    expect(usageOf(home).map((record) => [record.key, record.webSearches])).toEqual([
      ["msg_1", 3],
      ["msg_2", 5],
      ["msg_h", 4],
    ]);
  });

  it("ignores what the program invented and what failed", () => {
    const home = tempHome();
    const message = {
      id: "x",
      role: "assistant",
      model: "<synthetic>",
      content: [],
      usage: { input_tokens: 9, output_tokens: 9 },
    };
    write(home, [
      reply({ id: "msg_1", usage: { output_tokens: 1 } }),
      reply({ usage: {}, message }),
      reply({ usage: { output_tokens: 5 }, isApiErrorMessage: true }),
    ]);
    expect(usageOf(home).map((record) => record.key)).toEqual(["msg_1"]);
  });

  it("trusts the dollars old versions wrote", () => {
    const home = tempHome();
    write(home, [reply({ id: "msg_1", usage: { output_tokens: 1 }, costUSD: 0.0125 })]);
    expect(usageOf(home)[0]!.reportedMicroUsd).toBeCloseTo(12_500, 6);
  });

  it("drops impossible counts", () => {
    const home = tempHome();
    write(home, [
      reply({ id: "msg_1", usage: { input_tokens: -5, output_tokens: 1.33e179, cache_read_input_tokens: "12" } }),
    ]);
    expect(usageOf(home)[0]!.tokens).toEqual({
      input: 0,
      output: 0,
      cached: 0,
      cacheWrite: 0,
      cacheWrite1h: 0,
      thinking: 0,
    });
  });
});
