import { describe, expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { SessionMessage } from "../core/session.ts";
import type { AgentMuxClient, SessionListOptions } from "../index.ts";
import { clientOf, madeAgent, usage, type MadeSession } from "../../test/support/made-agent.ts";

const day = (date: number): number => Date.UTC(2026, 5, date);

function talk(turns: number): SessionMessage[] {
  return Array.from({ length: turns }, () => [
    { role: "user" as const, content: "question" },
    { role: "assistant" as const, content: "answer" },
  ]).flat();
}

const SESSIONS: MadeSession[] = [
  {
    id: "small",
    head: { createdMs: day(1), updatedMs: day(9), cwd: "/home/user/shop", model: "made-model" },
    messages: talk(1),
    usage: [usage("s")],
  },
  {
    id: "long",
    head: { createdMs: day(2), updatedMs: day(3), cwd: "/home/user/shop/", model: "made-model" },
    messages: talk(5),
    usage: [usage("l", { model: "other-model" })],
  },
  {
    id: "dear",
    head: { createdMs: day(3), updatedMs: day(4), cwd: "/home/user/blog", model: "other-model" },
    messages: talk(2),
    usage: [usage("d", { reportedMicroUsd: 9_000_000 })],
  },
];

function client(sessions: readonly MadeSession[] = SESSIONS, runs = ""): AgentMuxClient {
  const home = tempHome();
  home.write(".agent-mux/prices.json", JSON.stringify({ "made-model": { input: 3, output: 15 } }));
  if (runs !== "") home.write(".agent-mux/run-index.jsonl", runs);
  return clientOf(home.path, madeAgent("made", sessions));
}

async function ids(options: SessionListOptions): Promise<string[]> {
  return (await client().sessions.list("made", options)).map((row) => row.sessionId);
}

describe("a list", () => {
  it("has the newest first, with exact counts and cost", async () => {
    const rows = await client().sessions.list("made");
    expect(
      rows.map((row) => [row.sessionId, row.messageCount, row.turnCount, row.cost?.totalUsd, row.partial]),
    ).toEqual([
      ["small", 2, 1, 0.003, undefined],
      ["dear", 4, 2, 9, undefined],
      ["long", 10, 5, 0, undefined],
    ]);
    expect(rows[0]).toMatchObject({
      unifiedId: "made:small",
      createdAt: new Date(day(1)),
      updatedAt: new Date(day(9)),
    });
    expect(rows[2]!.cost!.kind).toBe("unpriced");
  });

  it.each<[SessionListOptions, string[]]>([
    [{ since: new Date(day(2)) }, ["dear", "long"]],
    [{ until: new Date(day(2)) }, ["small", "long"]],
    [{ since: new Date(day(2)), until: new Date(day(2)) }, ["long"]],
    [{ cwd: "/home/user/shop" }, ["small", "long"]],
    [{ cwd: "/home/user" }, []],
    [{ model: "made-model" }, ["small", "dear", "long"]],
    [{ model: "other-model" }, ["dear", "long"]],
    [{ model: "made" }, []],
    [{ modelPart: "OTHER" }, ["dear", "long"]],
    [{ modelPart: "model" }, ["small", "dear", "long"]],
    [{ modelPart: "no-such" }, []],
    [{ limit: 2 }, ["small", "dear"]],
    [{ limit: 0 }, []],
    [{ sort: "cost" }, ["dear", "small", "long"]],
    [{ sort: "turns" }, ["long", "dear", "small"]],
    [{ sort: "turns", limit: 1 }, ["long"]],
    [{ sort: "tokens", limit: 1 }, ["dear"]],
    [{ sort: "title" }, ["dear", "long", "small"]],
    [{ sort: "title", sortDirection: "desc" }, ["small", "long", "dear"]],
    [{ sort: "date", sortDirection: "asc" }, ["long", "dear", "small"]],
    [{ sort: "cost", sortDirection: "asc" }, ["long", "small", "dear"]],
    [{ tags: [] }, ["small", "dear", "long"]],
    [{ tags: ["none"] }, []],
  ])("with %j is %j", async (options, expected) => {
    expect(await ids(options)).toEqual(expected);
    const all = await client().sessions.listAll(options);
    expect(all.map((row) => row.sessionId)).toEqual(expected);
  });

  it("orders equals by their id", async () => {
    const same = ["b", "c", "a"].map((id) => ({ id, head: { updatedMs: day(1) } }));
    const rows = await client(same).sessions.list("made");
    expect(rows.map((row) => row.sessionId)).toEqual(["a", "b", "c"]);
  });

  it("takes files that were written in the same millisecond as equals", async () => {
    const same = ["b", "c", "a"].map((id, at) => ({ id, updatedMs: day(1) + at / 10 }));
    const rows = await client(same).sessions.list("made");
    expect(rows.map((row) => row.sessionId)).toEqual(["a", "b", "c"]);
  });

  it("without counts reads heads only and says so", async () => {
    const broken = SESSIONS.map((session) => ({ ...session, broken: "must not be read" }));
    const rows = await client(broken).sessions.list("made", { counts: false });
    expect(rows.map((row) => [row.partial, row.messageCount, row.cost])).toEqual([
      [true, 0, undefined],
      [true, 0, undefined],
      [true, 0, undefined],
    ]);
  });

  it("counts what is read quickly and marks the rest as partial", async () => {
    const large = SESSIONS.map((session) => ({ ...session, bytes: 60_000_000 }));
    const { sessions } = client(large);
    const partial = async (options: SessionListOptions): Promise<(boolean | undefined)[]> =>
      (await sessions.list("made", options)).map((row) => row.partial);
    expect(await partial({})).toEqual([undefined, true, true]);
    expect(await partial({ counts: true })).toEqual([undefined, undefined, undefined]);
    expect(await partial({ sort: "cost" })).toEqual([undefined, undefined, undefined]);
  });

  it("shows a session it cannot read, without counts", async () => {
    const rows = await client([{ id: "bad", broken: "garbage" }]).sessions.list("made");
    expect(rows.map((row) => [row.sessionId, row.partial])).toEqual([["bad", true]]);
  });

  it("shows times of the file where the agent wrote none", async () => {
    const [row] = await client([{ id: "s", updatedMs: day(7) }]).sessions.list("made");
    expect(row).toMatchObject({ createdAt: new Date(day(7)), updatedAt: new Date(day(7)) });
  });

  it("adds sub-agents' sessions to what their parent cost", async () => {
    const rows = await client([
      { id: "parent", head: { updatedMs: 3 }, usage: [usage("p")] },
      { id: "child", head: { updatedMs: 2, parentId: "parent" }, usage: [usage("c")] },
      { id: "grandchild", head: { updatedMs: 1, parentId: "child" }, usage: [usage("g")] },
    ]).sessions.list("made", { limit: 1 });
    expect(rows.map((row) => [row.sessionId, row.cost?.totalUsd, row.cost?.subagents?.totalUsd])).toEqual([
      ["parent", 0.009, 0.006],
    ]);
  });

  it("does not loop where sessions call each other parent", async () => {
    const rows = await client([
      { id: "a", head: { parentId: "b" }, usage: [usage("a")] },
      { id: "b", head: { parentId: "a" }, usage: [usage("b")] },
    ]).sessions.list("made");
    expect(rows.map((row) => row.cost?.totalUsd)).toEqual([0.006, 0.006]);
  });
});

describe("a list of all agents", () => {
  it("merges them by date and counts only what is shown", async () => {
    const home = tempHome();
    const { sessions } = clientOf(
      home.path,
      madeAgent("made", SESSIONS),
      madeAgent("more", [
        { id: "newest", head: { updatedMs: day(20) } },
        { id: "oldest", head: { updatedMs: 1 }, broken: "x" },
      ]),
    );
    const rows = await sessions.listAll({ limit: 2 });
    expect(rows.map((row) => [row.unifiedId, row.partial])).toEqual([
      ["more:newest", undefined],
      ["made:small", undefined],
    ]);
  });
});

describe("tags", () => {
  const run = (fields: object): string => `${JSON.stringify({ v: 1, agent: "made", ...fields })}\n`;
  const runs =
    run({ runId: "1", sessionId: "small", tags: ["ci", "x"] }) +
    run({ runId: "2", sessionId: "small", tags: ["ci"] }) +
    run({ runId: "3", sessionId: "dear", tags: ["y"] }) +
    run({ runId: "4", sessionId: "long", agent: "somebody-else", tags: ["z"] });

  it("come from the run index, each once", async () => {
    const rows = await client(SESSIONS, runs).sessions.list("made");
    expect(rows.map((row) => [row.sessionId, row.tags])).toEqual([
      ["small", ["ci", "x"]],
      ["dear", ["y"]],
      ["long", []],
    ]);
  });

  it.each([
    [["x"], ["small"]],
    [
      ["x", "y"],
      ["small", "dear"],
    ],
    [["z"], []],
  ])("%j select the sessions that have any of them", async (tags, expected) => {
    const rows = await client(SESSIONS, runs).sessions.list("made", { tags });
    expect(rows.map((row) => row.sessionId)).toEqual(expected);
  });

  it("alone are a search that lists their sessions, the newest first", async () => {
    const { sessions } = client(SESSIONS, runs);
    const query = { text: "", tags: ["x", "y"] };
    expect((await sessions.search(query)).map((hit) => [hit.sessionId, hit.matches])).toEqual([
      ["small", []],
      ["dear", []],
    ]);
    expect(await sessions.search({ ...query, limit: 1, agent: "made" })).toHaveLength(1);
    const found: string[] = [];
    for await (const hit of sessions.searchStream(query)) found.push(hit.sessionId);
    expect(found).toEqual(["small", "dear"]);
    expect(await sessions.search({ text: "" })).toEqual([]);
  });

  it("have the cost of a run, if the session's files know none", async () => {
    const cost = { totalUsd: 0.5, inputTokens: 10, outputTokens: 2 };
    const seen = run({ runId: "1", sessionId: "bare", cost }) + run({ runId: "2", sessionId: "bare", cost });
    const [row] = await client([{ id: "bare" }], seen).sessions.list("made");
    expect(row!.cost).toMatchObject({ totalUsd: 1, inputTokens: 20, kind: "reported" });
  });
});
