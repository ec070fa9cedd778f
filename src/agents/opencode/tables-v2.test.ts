import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ReadNotes } from "../read-notes.ts";
import { list, open, T0, MadeHome, V1_TABLES, Writer } from "../../../test/support/agents/opencode-store.ts";

const V2_TABLES = `
  CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, fork_session_id TEXT, fork_boundary TEXT, directory TEXT,
    title TEXT, version TEXT, revert TEXT, time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
  CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER,
    time_updated INTEGER, data TEXT);
`;

let home: MadeHome;
let database: ReturnType<MadeHome["database"]>;

beforeEach(() => {
  home = new MadeHome();
  database = home.database();
  database.exec(V2_TABLES);
});

afterEach(() => database.close());

function session(id: string, createdMs: number, columns: Record<string, string> = {}): void {
  const row = {
    id,
    directory: "/project",
    title: "T",
    version: "2.0.8",
    time_created: createdMs,
    time_updated: createdMs,
    ...columns,
  };
  const marks = Object.keys(row).map(() => "?");
  database
    .prepare(`INSERT INTO session_v2 (${Object.keys(row).join()}) VALUES (${marks.join()})`)
    .run(...Object.values(row));
}

function row(id: string, sessionId: string, type: string, seq: number, data: object): void {
  const at = T0 + seq * 10;
  const text = JSON.stringify({ time: { created: at, completed: at + 5 }, ...data });
  database
    .prepare("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)")
    .run(id, sessionId, type, seq, at, at, text);
}

const MODEL = { id: "sonnet", providerID: "anthropic", variant: "default" };
const TOKENS = { input: 100, output: 20, reasoning: 7, cache: { read: 50, write: 3 } };

function conversation(): void {
  session("ses_a", T0);
  row("m0", "ses_a", "agent-switched", 0, { agent: "build" });
  row("m1", "ses_a", "user", 1, { text: "Do it", files: [{ uri: "file:///a.ts", mime: "text/plain", name: "a.ts" }] });
  row("m2", "ses_a", "synthetic", 2, { text: "reminder" });
  row("m3", "ses_a", "assistant", 3, {
    model: MODEL,
    cost: 0.02,
    tokens: TOKENS,
    content: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Looking." },
      {
        type: "tool",
        id: "call_1",
        name: "read",
        state: { status: "completed", input: { path: "a.ts" }, content: [{ type: "text", text: "let a" }] },
        time: { created: T0 + 30, ran: T0 + 31, completed: T0 + 41 },
      },
      {
        type: "tool",
        id: "call_2",
        name: "bash",
        state: { status: "error", input: {}, error: { type: "tool.failed", message: "no shell" } },
        time: { created: T0 + 30 },
      },
      {
        type: "tool",
        id: "call_3",
        name: "bash",
        state: { status: "streaming", input: "{" },
        time: { created: T0 + 30 },
      },
    ],
  });
  row("m4", "ses_a", "assistant", 4, {
    model: MODEL,
    content: [],
    error: { type: "provider.overloaded", message: "busy" },
  });
  row("m5", "ses_a", "compaction", 5, {
    status: "completed",
    reason: "auto",
    summary: "So far",
    model: MODEL,
    cost: 0.01,
    tokens: TOKENS,
  });
  row("m6", "ses_a", "shell", 6, { shellID: "sh_1", command: "ls", status: "exited", output: { output: "src" } });
  row("m7", "ses_a", "idle", 7, { outcome: "succeeded" });
}

describe("the tables of OpenCode 2", () => {
  it("give the same kinds of messages as the earlier ones", () => {
    conversation();
    const notes = new ReadNotes();
    const { head, reader, messages } = open(home.env, "ses_a", notes);
    expect(head).toEqual(reader.head);
    expect(head).toMatchObject({ title: "T", model: "sonnet", cwd: "/project", createdMs: T0, agentVersion: "2.0.8" });
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Do it"],
      ["assistant", "Looking."],
      ["tool", "let a"],
      ["tool", "no shell"],
      ["system", "provider.overloaded: busy"],
      ["system", "So far"],
      ["assistant", ""],
      ["tool", "src"],
    ]);
    expect(messages[1]).toMatchObject({
      thinking: "hm",
      toolCalls: [
        { toolCallId: "call_1", toolName: "read", input: { path: "a.ts" }, output: "let a", durationMs: 10 },
        { toolCallId: "call_2", toolName: "bash", output: "no shell", isError: true },
        { toolCallId: "call_3", toolName: "bash" },
      ],
    });
    expect(notes.unknownTypes.size).toBe(0);
  });

  it("keep reasoning apart from output, and bill compactions", () => {
    conversation();
    const tokens = { input: 100, cached: 50, cacheWrite: 3, cacheWrite1h: 0, output: 27, thinking: 7 };
    expect(open(home.env, "ses_a").usage).toMatchObject([
      { key: "m3", tokens, reportedMicroUsd: 20_000 },
      { key: "m5", tokens, reportedMicroUsd: 10_000 },
    ]);
  });

  it("name the source of a fork, whose copies keep their place in the sequence", () => {
    conversation();
    session("ses_f", T0 + 1000, {
      fork_session_id: "ses_a",
      fork_boundary: '{"type":"through","messageID":"m3"}',
      title: "Renamed",
    });
    row("evt_0", "ses_f", "agent-switched", 0, { agent: "build" });
    row("evt_1", "ses_f", "user", 1, { text: "Do it" });
    row("evt_3", "ses_f", "assistant", 3, {
      model: MODEL,
      cost: 0.02,
      tokens: TOKENS,
      content: [{ type: "text", text: "Looking." }],
    });
    row("own_1", "ses_f", "user", 200, { text: "Go on" });
    row("own_2", "ses_f", "assistant", 201, { model: MODEL, cost: 0.5, tokens: TOKENS, content: [] });
    const { head, messages, usage } = open(home.env, "ses_f");
    expect(head.forkedFrom).toBe("ses_a");
    expect(messages.map(({ content, inherited }) => [content, inherited])).toEqual([
      ["Do it", true],
      ["Looking.", true],
      ["Go on", undefined],
      ["", undefined],
    ]);
    expect(usage.map(({ key, copied }) => [key, copied])).toEqual([
      ["m3", true],
      ["own_2", undefined],
    ]);
  });

  it("hide what was undone", () => {
    conversation();
    database.exec(`UPDATE session_v2 SET revert = '{"messageID":"m3"}'`);
    expect(open(home.env, "ses_a").messages.map(({ content }) => content)).toEqual(["Do it"]);
  });

  it("win over the tables they were migrated from, which still have what the migration dropped", () => {
    conversation();
    database.exec(V1_TABLES);
    const write = new Writer(database);
    write.session("ses_a", T0, { title: "Stale" });
    write.reply("m3", "ses_a", T0 + 30, "Looking.", { tokens: { ...TOKENS, total: 173 } });
    write.reply("lost", "ses_a", T0 + 40, "A compaction", { cost: 0.25 });
    write.session("ses_old", T0, { title: "Not migrated" });
    write.prompt("m9", "ses_old", T0 + 1, "hello");
    expect([...list(home.env).keys()].sort()).toEqual(["ses_a", "ses_old"]);
    const { head, usage } = open(home.env, "ses_a");
    expect(head.title).toBe("T");
    expect(usage.map(({ key, tokens }) => [key, tokens.output])).toEqual([
      ["m3", 20],
      ["m5", 27],
      ["lost", 30],
    ]);
    expect(open(home.env, "ses_old").messages).toHaveLength(1);
  });

  it("are distinguished from the empty ones that 1.18 already has", () => {
    database.exec(`${V1_TABLES} DROP TABLE session_v2`);
    const write = new Writer(database);
    write.session("ses_a", T0);
    write.prompt("m1", "ses_a", T0 + 1, "hello");
    expect(open(home.env, "ses_a").messages).toHaveLength(1);
  });

  it("note rows of an unknown type", () => {
    conversation();
    row("m8", "ses_a", "hologram", 8, {});
    const notes = new ReadNotes();
    open(home.env, "ses_a", notes);
    expect([...notes.unknownTypes.keys()]).toEqual(["session_message hologram"]);
  });
});
