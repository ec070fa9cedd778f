/** What the manager does with no sessions, few sessions, or broken ones. */
import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { createClient, type AgentAdapter, type AgentMuxClient } from "../index.ts";
import { clientOf, madeAgent, usage } from "../../test/support/made-agent.ts";

const withoutHistory: AgentAdapter = {
  name: "forgetful",
  displayName: "Forgetful",
  command: "forgetful",
  capabilities: { canResume: false, canFork: false, sessionPersistence: "none" },
};

function empty(...agents: AgentAdapter[]): AgentMuxClient {
  return clientOf(tempHome().path, ...agents);
}

const BUILT_IN = createClient().adapters.list();

describe("an agent that was never used", () => {
  it.each(BUILT_IN)("%s has an empty list, and no session can be read", async (agent) => {
    const { sessions } = empty();
    expect(await sessions.list(agent)).toEqual([]);
    expect(await sessions.search({ text: "anything", agent })).toEqual([]);
    expect(await sessions.totalCost({ agent })).toMatchObject({ totalUsd: 0, sessionCount: 0, runCount: 0 });
    for (const attempt of [
      sessions.get(agent, "some-id"),
      sessions.export(agent, "some-id", "json"),
      sessions.diff({ agent, sessionId: "some-id" }, { agent, sessionId: "other" }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    }
  });

  it("does not affect queries over all agents", async () => {
    const { sessions } = empty();
    expect(await sessions.listAll()).toEqual([]);
    expect(await sessions.search({ text: "anything" })).toEqual([]);
    expect(await sessions.totalCost({ groupBy: "agent" })).toMatchObject({ totalUsd: 0, breakdowns: {} });
  });
});

describe("an agent without any store", () => {
  it("has an empty list and no sessions", async () => {
    const { sessions } = empty(withoutHistory);
    expect(await sessions.list("forgetful")).toEqual([]);
    expect(await sessions.totalCost({ agent: "forgetful" })).toMatchObject({ totalUsd: 0 });
    await expect(sessions.get("forgetful", "s")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });
});

describe("an unknown agent", () => {
  it("is an error, except in a search", async () => {
    const { sessions } = empty();
    const agent = "klaude";
    const reference = { agent, sessionId: "s" };
    for (const attempt of [
      sessions.list(agent),
      sessions.get(agent, "s"),
      sessions.export(agent, "s", "json"),
      sessions.diff(reference, reference),
      sessions.totalCost({ agent }),
    ]) {
      await expect(attempt).rejects.toMatchObject({
        code: "AGENT_NOT_FOUND",
        message: expect.stringMatching(/^Unknown agent "klaude" \(did you mean claude\?\)\. Known agents: claude, /),
      });
    }
    expect(await sessions.search({ text: "x", agent })).toEqual([]);
  });
});

describe("a file that is not a database", () => {
  it.each([
    ["cursor", ".cursor/sessions/sessions.db"],
    ["opencode", ".local/share/opencode/opencode.db"],
    ["hermes", ".hermes/state.db"],
  ])("of %s is an error when a session is requested, and an empty list", async (agent, path) => {
    const home = tempHome();
    home.write(path, "not a database, but long enough to be taken for one");
    const { sessions } = clientOf(home.path);
    await expect(sessions.get(agent, "some-id")).rejects.toMatchObject({
      code: "PARSE_ERROR",
      message: expect.stringContaining(path) as string,
    });
    expect(await sessions.list(agent)).toEqual([]);
  });
});

describe("a wrong option", () => {
  it.each([
    [{ limit: -1 }, "limit must be a whole number, 0 or more"],
    [{ limit: Number.NaN }, "limit must be a whole number, 0 or more"],
    [{ since: new Date("soon") }, "since must be a valid Date"],
    [{ until: "2026-01-01" }, "until must be a valid Date"],
    [{ tags: "ci" }, "tags must be a list of strings"],
    [{ sort: "size", sortDirection: "up" }, /^sort must be one of .+; sortDirection must be one of asc, desc$/],
  ])("%j is reported, and not taken for another one", async (options, message) => {
    const { sessions } = empty();
    const expected = { code: "VALIDATION_ERROR", message: expect.stringMatching(message) as string };
    await expect(sessions.list("claude", options as never)).rejects.toMatchObject(expected);
    await expect(sessions.search({ text: "x", ...(options as object) })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
  });

  it("is also a search for nothing", async () => {
    const expected = { code: "VALIDATION_ERROR", message: "text must be a string" };
    await expect(empty().sessions.search({} as never)).rejects.toMatchObject(expected);
    await expect(
      empty()
        .sessions.searchStream({} as never)
        .next(),
    ).rejects.toMatchObject(expected);
  });
});

describe("a session that cannot be read", () => {
  it("is an error on request, and affects only itself in a list or a sum", async () => {
    const { sessions } = empty(
      madeAgent("made", [
        { id: "bad", broken: "Nothing in it is a record." },
        { id: "good", usage: [usage("a", { reportedMicroUsd: 1e6 })] },
      ]),
    );
    for (const attempt of [sessions.get("made", "bad"), sessions.export("made", "bad", "markdown")])
      await expect(attempt).rejects.toMatchObject({ code: "PARSE_ERROR", message: "Nothing in it is a record." });
    expect((await sessions.list("made")).map((row) => row.sessionId).sort()).toEqual(["bad", "good"]);
    expect(await sessions.totalCost()).toMatchObject({ totalUsd: 1, skipped: 1 });
    const skipped: number[] = [];
    const onSkipped = (files: number): void => void skipped.push(files);
    await sessions.listAll({ onSkipped });
    expect(skipped).toEqual([1]);
  });

  it("does not hide other agents' sessions", async () => {
    const home = tempHome();
    home.write(".claude/projects/-x/11111111-2222-4333-8444-555555555555.jsonl", "\0\0\0 no record\n");
    const { sessions } = clientOf(home.path, madeAgent("made", [{ id: "good" }]));
    expect((await sessions.listAll()).map((row) => row.unifiedId)).toEqual(["made:good"]);
  });
});

describe("ids", () => {
  const { sessions } = createClient();

  it.each([
    ["claude", "a1b2c3d4", "claude:a1b2c3d4"],
    ["cursor", "42", "cursor:42"],
    ["pi", "proj-xyz/branch-main", "pi:proj-xyz/branch-main"],
    ["hermes", "a:b:c", "hermes:a:b:c"],
  ])("of %s convert both ways: %s", (agent, nativeSessionId, unifiedId) => {
    expect(sessions.resolveUnifiedId(agent, nativeSessionId)).toBe(unifiedId);
    expect(sessions.resolveNativeId(unifiedId)).toEqual({ agent, nativeSessionId });
  });

  it.each(["not-a-valid-id", "unknown-agent:123", ":123", "claude:", "", ":", "Claude:1", "__proto__:1"])(
    "such as %j are invalid",
    (text) => {
      expect(sessions.resolveNativeId(text)).toBeNull();
    },
  );

  it("of a registered agent are known as long as it is", () => {
    const client = empty(withoutHistory);
    expect(client.sessions.resolveNativeId("forgetful:x")).toEqual({ agent: "forgetful", nativeSessionId: "x" });
    client.adapters.unregister("forgetful");
    expect(client.sessions.resolveNativeId("forgetful:x")).toBeNull();
  });

  it("can be found by prefix", async () => {
    const { sessions } = empty(madeAgent("made", [{ id: "abc" }, { id: "abd" }, { id: "b" }]));
    expect(await sessions.matching("made", "ab")).toEqual(["abc", "abd"]);
  });
});

describe("the user's own prices", () => {
  it("are used, and named in the answer", async () => {
    const home = tempHome();
    const agent = madeAgent("made", [{ id: "s", usage: [usage("a", { model: "house-model" })] }]);
    const plain = await clientOf(home.path, agent).sessions.totalCost();
    expect(plain.kinds.unpriced.requests).toBe(1);
    home.write(".agent-mux/prices.json", JSON.stringify({ "house-model": { input: 2, output: 2 } }));
    const client = clientOf(home.path, agent);
    const own = await client.sessions.totalCost();
    expect(own.totalUsd).toBe(0.002);
    expect(own.prices.digest).not.toBe(plain.prices.digest);
    expect(client.models.estimateCost("made", "house-model", 1000, 500)).toBe(0.003);
    expect(client.models.estimateCost("made", "no-such-model", 1000, 500)).toBeUndefined();
  });

  it("that are malformed are an error, not other prices", async () => {
    const home = tempHome();
    for (const text of ["{", '{"made-model":{"input":"1"}}']) {
      const path = home.write(".agent-mux/prices.json", text);
      const message = expect.stringContaining(path);
      await expect(clientOf(home.path).sessions.totalCost()).rejects.toMatchObject({ code: "CONFIG_ERROR", message });
    }
  });
});
