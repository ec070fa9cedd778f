import { describe, expect, it } from "vitest";
import { clientOf, madeAgent } from "../../../test/support/made-agent.ts";
import { foundIds as ids, says, session } from "../../../test/support/made-conversations.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { NativeSearchHit } from "../../agents/adapter.ts";
import type { AgentMuxClient } from "../../index.ts";

describe("an agent with an index of its own", () => {
  const asked: string[] = [];
  const native: NativeSearchHit[] = [
    { sessionId: "b", score: 4, snippet: "from its index", messageIndex: 7 },
    { sessionId: "a", score: 8 },
    { sessionId: "notes.md#1", score: 2, snippet: "remember", memory: true },
  ];
  const adapter = madeAgent("made", [session("a", says("user", "needle")), session("b", says("user", "hay"))]);
  const search = (_: unknown, text: string): NativeSearchHit[] => {
    asked.push(text.trim());
    return native;
  };
  Object.assign(adapter.history!, { search: { sessions: search } });
  const opened = (): AgentMuxClient => clientOf(tempHome().path, adapter);

  it("answers from it when it alone is searched", async () => {
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
      history: {
        ...adapter.history!,
        search: { sessions: search, note: (id) => (id === "notes.md#1" ? note : undefined) },
      },
    });
    const session = await client.sessions.get("made", "notes.md#1");
    expect(session).toMatchObject({ unifiedId: "made:notes.md#1", updatedAt: new Date(note.updatedMs) });
    expect(session.messages).toEqual([{ role: "assistant", content: note.text }]);
    expect(await client.sessions.export("made", "notes.md#1", "markdown")).toContain(note.text);
    expect(await client.sessions.matching("made", "notes.md#1")).toEqual(["notes.md#1"]);
    await expect(client.sessions.get("made", "notes.md#2")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
    expect(await client.sessions.list("made")).toHaveLength(2);
  });

  it("adds what it keeps outside of conversations to a search of all agents, at the end and without a rank", async () => {
    const client = clientOf(tempHome().path, {
      ...adapter,
      history: {
        ...adapter.history!,
        search: { sessions: search, notes: () => native.filter(({ memory }) => memory) },
      },
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

  it("is not asked when others are searched too, or when it would not understand the query", async () => {
    const client = opened();
    asked.length = 0;
    expect(await ids(client, "needle")).toEqual(["a"]);
    expect(await ids(client, "agent:made,claude needle")).toEqual(["a"]);
    expect(await ids(client, "role:user needle", { agent: "made" })).toEqual(["a"]);
    expect(await ids(client, "(needle OR x)", { agent: "made" })).toEqual(["a"]);
    expect(asked).toEqual([]);
  });
});
