import { describe, expect, it } from "vitest";
import { clientOf, madeAgent, usage, type MadeSession } from "../../../test/support/made-agent.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { NativeSearchHit } from "../../agents/adapter.ts";
import type { SessionMessage } from "../../core/session.ts";
import { createClient, type AgentMuxClient } from "../../index.ts";

const DAY_MS = 86_400_000;
const T0 = Date.parse("2026-06-01T12:00:00Z");

function says(role: "user" | "assistant", content: string, more: Partial<SessionMessage> = {}): SessionMessage {
  return { role, content, timestamp: new Date(T0), ...more };
}

function session(id: string, ...messages: SessionMessage[]): MadeSession {
  return { id, head: { createdMs: T0, updatedMs: T0 }, messages };
}

function searching(...sessions: MadeSession[]): AgentMuxClient {
  return clientOf(tempHome().path, madeAgent("made", sessions));
}

async function ids(client: AgentMuxClient, text: string, more = {}): Promise<string[]> {
  return (await client.sessions.search({ text, ...more })).map((hit) => hit.sessionId);
}

describe("a hit", () => {
  it("says where the words stand, and marks them", async () => {
    const client = searching(
      session(
        "a",
        says("user", "Hello"),
        says("assistant", "Then the Retry\n\tpolicy of \u001b[1mthe client\u001b[0m was changed.", {
          thinking: "Should retry be limited?",
          toolCalls: [{ toolCallId: "1", toolName: "Bash", input: { command: "grep -r retry ." } }],
        }),
        {
          role: "tool",
          content: "no policy here",
          toolResult: { toolCallId: "1", toolName: "Bash", output: "no policy here" },
        },
      ),
    );
    const [hit] = await client.sessions.search({ text: "retry policy" });
    expect(hit).toMatchObject({
      unifiedId: "made:a",
      title: "title of a",
      relevanceScore: 1,
      copies: 0,
      titleMarks: [],
    });
    expect(hit!.matches).toEqual([
      {
        messageIndex: 1,
        role: "assistant",
        timestamp: new Date(T0),
        part: "content",
        snippet: "Then the Retry policy of [1mthe client[0m was changed.",
        marks: [
          { start: 9, end: 14 },
          { start: 15, end: 21 },
        ],
      },
      {
        messageIndex: 2,
        role: "tool",
        part: "content",
        tool: "Bash",
        snippet: "no policy here",
        marks: [{ start: 3, end: 9 }],
      },
    ]);
  });

  it("marks the words of its title", async () => {
    const client = searching({ id: "a", head: { title: "Fix the retry policy" }, messages: [says("user", "do it")] });
    const [hit] = await client.sessions.search({ text: '"retry policy" fix' });
    expect(hit!.titleMarks).toEqual([
      { start: 0, end: 3 },
      { start: 8, end: 20 },
    ]);
    expect(hit!.matches).toEqual([]);
  });

  it("shows the text around a word in a long message", async () => {
    const client = searching(
      session("a", says("user", `${"lorem ipsum ".repeat(500)}needle${" dolor sit".repeat(500)}`)),
    );
    const [hit] = await client.sessions.search({ text: "needle" });
    const { snippet, marks } = hit!.matches[0]!;
    expect(snippet).toMatch(/^…(?:lorem|ipsum) .* needle dolor sit .*…$/);
    expect(snippet.length).toBeLessThan(170);
    expect(marks.map(({ start, end }) => snippet.slice(start, end))).toEqual(["needle"]);
  });

  it("gives the messages that hold the most of the query, in the order of the conversation", async () => {
    const client = searching(
      session(
        "a",
        ...Array.from({ length: 8 }, () => says("user", "one")),
        says("assistant", "one and two"),
        says("user", "two"),
      ),
    );
    const [hit] = await client.sessions.search({ text: "one two" });
    expect(hit!.matches.map((match) => match.messageIndex)).toEqual([0, 1, 2, 3, 8]);
  });

  it("is found in what a helper did, and says in which", async () => {
    const adapter = madeAgent("made", [session("a", says("user", "go"))]);
    const read = adapter.history!.read;
    const helper = { id: "h1", messages: [says("assistant", "the needle")] };
    adapter.history!.read = (...args) => ({ ...read(...args)!, subagents: () => [helper] });
    const [hit] = await clientOf(tempHome().path, adapter).sessions.search({ text: "needle" });
    expect(hit!.matches).toMatchObject([{ messageIndex: 0, subagent: "h1", snippet: "the needle" }]);
  });
});

describe("fields", () => {
  const edit = { toolCallId: "1", toolName: "MultiEdit", input: { file_path: "/src/manager.ts", new_string: "alpha" } };
  const patch = {
    toolCallId: "2",
    toolName: "apply_patch",
    input: "*** Begin Patch\n*** Update File: lib/a.ts\n+beta",
  };
  const opened = (): AgentMuxClient =>
    searching(
      {
        ...session(
          "a",
          says("user", "please alpha", {}),
          says("assistant", "gamma", { toolCalls: [edit], model: "opus-4" }),
          { role: "tool", content: "delta", toolResult: { toolCallId: "1", toolName: "MultiEdit", output: "delta" } },
        ),
        head: { title: "first", createdMs: T0, updatedMs: T0 + 2 * DAY_MS, cwd: "/dev/shop-api", branch: "fix/retry" },
      },
      {
        ...session(
          "b",
          says("user", "please gamma"),
          says("assistant", "alpha", { toolCalls: [patch], model: "gpt-5.5" }),
        ),
        head: { title: "second", createdMs: T0 + DAY_MS, updatedMs: T0 + DAY_MS, cwd: "/dev/web", branch: "main" },
      },
    );

  it.each([
    ["role:user alpha", ["a"]],
    ["role:assistant alpha", ["a", "b"]],
    ["tool:edit alpha", ["a"]],
    ["tool:multiedit", ["a"]],
    ["file:manager.ts", ["a"]],
    ["file:manager.ts role:tool delta", ["a"]],
    ["file:lib/a.ts beta", ["b"]],
    ["file:a.ts alpha", ["b"]],
    ["(role:user gamma) alpha", ["b"]],
    ["role:user gamma alpha", []],
    ["-tool:edit alpha", ["b"]],
    ["model:opus", ["a"]],
    ["model:gpt-5,opus-4", ["a", "b"]],
    ["cwd:shop", ["a"]],
    ["branch:retry OR branch:main", ["a", "b"]],
    ["title:fir*", ["a"]],
    ["agent:made alpha", ["a", "b"]],
    ["agent:claude alpha", []],
    ["after:2026-06-03T00:00Z alpha", ["a"]],
    ["before:2026-06-02T00:00Z alpha", ["a"]],
    ["after:2026-06-02T12:00Z before:2026-06-03T00:00Z", ["a", "b"]],
  ])("%s", async (text, expected) => {
    const client = opened();
    expect((await ids(client, text)).sort()).toEqual(expected);
  });

  it("are asked beside the parameters", async () => {
    const client = opened();
    expect(await ids(client, "alpha", { model: "opus-4" })).toEqual(["a"]);
    expect(await ids(client, "alpha", { since: new Date(T0 + 1) })).toEqual(["b"]);
    expect(await ids(client, "alpha", { until: new Date(T0) })).toEqual(["a"]);
    expect(await ids(client, "alpha", { tags: ["x"] })).toEqual([]);
  });
});

describe("the order", () => {
  const filler = "word ".repeat(3000);
  const made = (id: string, updatedMs: number, dollars: number, ...texts: string[]): MadeSession => ({
    id,
    head: { createdMs: T0, updatedMs },
    messages: texts.map((text) => says("user", text)),
    usage: [usage(id, { reportedMicroUsd: dollars * 1e6 })],
  });
  const opened = (): AgentMuxClient =>
    searching(
      made("once", T0 + 3, 3, `needle ${filler}`, filler, filler, filler),
      made("often", T0 + 1, 1, ...Array.from({ length: 12 }, () => `needle ${filler}`)),
      { ...made("title", T0 + 2, 2, "needle", filler, filler, filler), head: { title: "a needle", updatedMs: T0 + 2 } },
    );

  it("is by relevance, from 1 down", async () => {
    const client = opened();
    const hits = await client.sessions.search({ text: "needle" });
    expect(hits.map((hit) => hit.sessionId)).toEqual(["title", "often", "once"]);
    expect(hits[0]!.relevanceScore).toBe(1);
    expect(hits[2]!.relevanceScore).toBeGreaterThan(0);
    expect(hits[2]!.relevanceScore).toBeLessThan(1);
  });

  it("is by date or by cost when asked so", async () => {
    const client = opened();
    expect(await ids(client, "needle", { sort: "date" })).toEqual(["once", "title", "often"]);
    expect(await ids(client, "needle", { sort: "cost" })).toEqual(["once", "title", "often"]);
    const [first] = await client.sessions.search({ text: "needle", sort: "cost" });
    expect(first!.cost?.totalUsd).toBe(3);
  });

  it("is the same from the index", async () => {
    const client = opened();
    await client.sessions.buildIndex();
    for (const sort of ["relevance", "date", "cost"] as const) {
      const [without, within] = [
        await client.sessions.search({ text: "needle OR word", sort, index: "none" }),
        await client.sessions.search({ text: "needle OR word", sort }),
      ];
      expect(within).toEqual(without);
    }
  });

  it("ends at the limit, and needs no places when they are not wanted", async () => {
    const client = opened();
    expect(await ids(client, "needle", { limit: 2 })).toEqual(["title", "often"]);
    await client.sessions.buildIndex();
    const hits = await client.sessions.search({
      text: "needle",
      matches: false,
      sort: "date",
      foldCopies: false,
      limit: 1,
    });
    expect(hits).toMatchObject([{ sessionId: "once", matches: [] }]);
  });
});

describe("copies of one session", () => {
  const copy = (id: string, familyKeys: string[], text: string): MadeSession => ({
    id,
    head: { familyKeys, updatedMs: T0 },
    messages: [says("user", text)],
  });
  const opened = (): AgentMuxClient =>
    searching(
      copy("a", ["x"], "needle"),
      copy("b", ["x", "y"], "needle"),
      copy("c", ["y"], "needle"),
      copy("d", ["z"], "needle"),
      { id: "e", head: { forkedFrom: "d", updatedMs: T0 }, messages: [says("user", "needle")] },
      copy("f", ["x"], "nothing"),
    );

  it("are one hit with a count", async () => {
    const client = opened();
    const hits = await client.sessions.search({ text: "needle" });
    expect(hits.map((hit) => [hit.sessionId, hit.copies])).toEqual([
      ["a", 2],
      ["d", 1],
    ]);
  });

  it("are listed each when asked so", async () => {
    const client = opened();
    expect(await ids(client, "needle", { foldCopies: false })).toEqual(["a", "b", "c", "d", "e"]);
  });
});

describe("a stream", () => {
  it("gives every session as it is found", async () => {
    const client = searching(
      session("a", says("user", "x")),
      session("b", says("user", "y")),
      session("c", says("user", "x")),
    );
    const found: string[] = [];
    for await (const hit of client.sessions.searchStream({ text: "x" })) found.push(hit.sessionId);
    expect(found).toEqual(["a", "c"]);
    for await (const hit of client.sessions.searchStream({ text: "x", limit: 1 })) expect(hit.sessionId).toBe("a");
  });
});

describe("what was found", () => {
  const talk = [says("user", "needle"), says("assistant", "yes"), says("user", "hay"), says("assistant", "no")];
  const made = (): AgentMuxClient =>
    clientOf(
      tempHome().path,
      madeAgent("made", [
        { ...session("a", ...talk), usage: [usage("a", { reportedMicroUsd: 1_500_000 })] },
        session("b", says("user", "needle")),
      ]),
    );

  it("is counted and priced as in a list", async () => {
    const client = made();
    const hits = await client.sessions.search({ text: "needle" });
    const rows = new Map((await client.sessions.list("made")).map((row) => [row.sessionId, row]));
    expect(hits.map(({ sessionId }) => sessionId).sort()).toEqual(["a", "b"]);
    for (const hit of hits)
      expect(hit).toMatchObject({ ...rows.get(hit.sessionId), relevanceScore: expect.any(Number) });
    expect(hits.find(({ sessionId }) => sessionId === "a")).toMatchObject({
      turnCount: 2,
      messageCount: 4,
      cost: { totalUsd: 1.5 },
    });
    expect(hits.every(({ partial }) => partial === undefined)).toBe(true);
  });

  it("is not, where only which sessions is asked for", async () => {
    const client = made();
    for (const how of [{ counts: false }, { matches: false }]) {
      for (const hit of await client.sessions.search({ text: "needle", ...how }))
        expect(hit).toMatchObject({ partial: true, messageCount: 0 });
    }
  });

  it("says how much could not be looked at", async () => {
    const home = tempHome();
    home.write(".openclaw/sessions/cli/broken.json", "{");
    // Asked for sessions, and again for notes.
    home.write(".hermes/state.db", "this is no database ".repeat(200));
    const skipped: number[] = [];
    const client = createClient({ env: { home: home.path, platform: "linux", vars: {} } });
    expect(await client.sessions.search({ text: "needle", onSkipped: (files) => skipped.push(files) })).toEqual([]);
    expect(skipped).toEqual([2]);
  });
});

describe("an agent with an index of its own", () => {
  const asked: string[] = [];
  const native: NativeSearchHit[] = [
    { sessionId: "b", score: 4, snippet: "from its index", messageIndex: 7 },
    { sessionId: "a", score: 8 },
    { sessionId: "notes.md#1", score: 2, snippet: "remember", memory: true },
  ];
  const adapter = madeAgent("made", [session("a", says("user", "needle")), session("b", says("user", "hay"))]);
  adapter.history!.search = (_, text) => {
    asked.push(text.trim());
    return native;
  };
  const opened = (): AgentMuxClient => clientOf(tempHome().path, adapter);

  it("answers from it when it alone is asked", async () => {
    const client = opened();
    const hits = await client.sessions.search({ text: "needle", agent: "made" });
    expect(hits).toMatchObject([
      { sessionId: "a", relevanceScore: 1, matches: [{ snippet: "needle" }] },
      { sessionId: "b", relevanceScore: 0.5, matches: [{ messageIndex: 7, snippet: "from its index" }] },
      { sessionId: "notes.md#1", relevanceScore: 0.25, memory: true, matches: [{ snippet: "remember" }] },
    ]);
    expect(await ids(client, "agent:made needle*")).toEqual(["a", "b", "notes.md#1"]);
    expect(asked).toEqual(["needle", "needle*"]);
  });

  it("has its notes opened by the id they were found under", async () => {
    const note = { path: "/notes.md", text: "remember the milk", updatedMs: Date.UTC(2026, 1, 1) };
    const client = clientOf(tempHome().path, {
      ...adapter,
      history: { ...adapter.history!, note: (id) => (id === "notes.md#1" ? note : undefined) },
    });
    const session = await client.sessions.get("made", "notes.md#1");
    expect(session).toMatchObject({ unifiedId: "made:notes.md#1", updatedAt: new Date(note.updatedMs) });
    expect(session.messages).toEqual([{ role: "assistant", content: note.text }]);
    expect(await client.sessions.export("made", "notes.md#1", "markdown")).toContain(note.text);
    expect(await client.sessions.matching("made", "notes.md#1")).toEqual(["notes.md#1"]);
    await expect(client.sessions.get("made", "notes.md#2")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect(await client.sessions.list("made")).toHaveLength(2);
  });

  it("adds what it keeps outside of conversations to a search in all of them, at the end and without a rank", async () => {
    const client = clientOf(tempHome().path, {
      ...adapter,
      history: { ...adapter.history!, searchNotes: () => native.filter(({ memory }) => memory) },
    });
    const hits = await client.sessions.search({ text: "needle" });
    expect(hits).toMatchObject([
      { sessionId: "a", relevanceScore: 1 },
      { sessionId: "notes.md#1", relevanceScore: 0, memory: true, matches: [{ snippet: "remember" }] },
    ]);
    for (const narrowed of [{ model: "m" }, { since: new Date(0) }, { agent: "claude" }]) {
      expect((await client.sessions.search({ text: "needle", ...narrowed })).filter(({ memory }) => memory)).toEqual(
        [],
      );
    }
    expect(await client.sessions.search({ text: "agent:claude needle" })).toEqual([]);
  });

  it("does not when others are asked too, or when it would not understand", async () => {
    const client = opened();
    asked.length = 0;
    expect(await ids(client, "needle")).toEqual(["a"]);
    expect(await ids(client, "agent:made,claude needle")).toEqual(["a"]);
    expect(await ids(client, "role:user needle", { agent: "made" })).toEqual(["a"]);
    expect(await ids(client, "(needle OR x)", { agent: "made" })).toEqual(["a"]);
    expect(asked).toEqual([]);
  });
});

describe("a session that cannot be read", () => {
  it("is noted and costs nothing but itself", async () => {
    const client = searching({ id: "broken", broken: "is broken" }, session("a", says("user", "needle")));
    expect(await ids(client, "needle")).toEqual(["a"]);
    await client.sessions.buildIndex();
    expect(await ids(client, "needle")).toEqual(["a"]);
    const status = await client.sessions.indexStatus();
    expect(status.agents.find(({ agent }) => agent === "made")).toMatchObject({ sessions: 2, current: 1, missing: 1 });
  });
});
