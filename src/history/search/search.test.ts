import { describe, expect, it } from "vitest";
import { clientOf, madeAgent, usage, type MadeSession } from "../../../test/support/made-agent.ts";
import { foundIds as ids, says, session, T0 } from "../../../test/support/made-conversations.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { AgentMuxClient } from "../../index.ts";

const DAY_MS = 86_400_000;

function searching(...sessions: MadeSession[]): AgentMuxClient {
  return clientOf(tempHome().path, madeAgent("made", sessions));
}

describe("a hit", () => {
  it("has the position of the words, and marks them", async () => {
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

  it("gives the messages with most of the query, in conversation order", async () => {
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

  it("is found in a sub-agent's work, and names it", async () => {
    const adapter = madeAgent("made", [session("a", says("user", "go"))]);
    const read = adapter.history!.read;
    const helper = { id: "h1", messages: [says("assistant", "the needle")] };
    adapter.history!.read = (...args) => ({ ...read(...args)!, subagents: () => [helper] });
    const [hit] = await clientOf(tempHome().path, adapter).sessions.search({ text: "needle" });
    expect(hit!.matches).toMatchObject([{ messageIndex: 0, subagent: "h1", snippet: "the needle" }]);
  });
});

describe("a phrase of more words than fit in a byte", () => {
  it.each([255, 256, 257, 600])("is found with an index as without one: %i words", async (length) => {
    const words = Array.from({ length }, (_, number) => `w${number}`);
    const client = searching(
      session("whole", says("user", `So: ${words.join(" ")}.`)),
      session("interrupted", says("user", words.with(length - 2, "other").join(" "))),
    );
    await client.sessions.buildIndex();
    for (const index of ["none", "use"] as const)
      expect(await ids(client, `"${words.join(" ")}"`, { index }), index).toEqual(["whole"]);
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

  it("are combined with the parameters", async () => {
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

  it("is by date or by cost on request", async () => {
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

  it("ends at the limit, and needs no snippets when they are not wanted", async () => {
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

  it("are listed separately on request", async () => {
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

describe("a session that is indexed again while a search is answered", () => {
  it("is read from its files", async () => {
    const [a, b, c] = ["a", "b", "c"].map((id) => session(id, says("user", "needle"))) as [
      MadeSession,
      MadeSession,
      MadeSession,
    ];
    const home = tempHome().path;
    const agent = madeAgent("made", [a, b, c]);
    await clientOf(home, agent).sessions.buildIndex();
    const found: string[] = [];
    for await (const hit of clientOf(home, agent).sessions.searchStream({ text: "needle", index: "use" })) {
      found.push(hit.sessionId);
      if (found.length > 1) continue;
      Object.assign(b, { bytes: 2, messages: [says("user", "hay")] });
      Object.assign(c, { bytes: 2, messages: [says("user", "hay"), says("assistant", "a needle")] });
      expect(await clientOf(home, agent).sessions.buildIndex()).toMatchObject({ added: 2 });
    }
    expect(found).toEqual(["a", "c"]);
  });
});

describe("a session that cannot be read", () => {
  it("is noted and affects only itself", async () => {
    const client = searching({ id: "broken", broken: "is broken" }, session("a", says("user", "needle")));
    expect(await ids(client, "needle")).toEqual(["a"]);
    await client.sessions.buildIndex();
    expect(await ids(client, "needle")).toEqual(["a"]);
    const status = await client.sessions.indexStatus();
    expect(status.agents.find(({ agent }) => agent === "made")).toMatchObject({ sessions: 2, current: 1, missing: 1 });
  });
});
