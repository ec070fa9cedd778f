import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import { CHAT, chatOf, open } from "../../../test/support/agents/cursor-chat.ts";

const PROJECT = ".cursor/projects/home-me-shop-api/agent-transcripts";
const line = (role: string, text: string): string =>
  `${JSON.stringify({ role, message: { content: [{ type: "text", text }] } })}\n`;

describe("a transcript", () => {
  it("survives torn lines, CRLF, blanks, a byte order mark and garbage", () => {
    const env = madeHome();
    const path = writeIn(
      env,
      `${PROJECT}/t.jsonl`,
      `\ufeff${line("user", "<user_query>Hello \ud800</user_query>").replace("\n", "\r\n")}\r\n\0\0\nnot json\n${line("assistant", "Hi")}{"role":"assis`,
    );
    const { head, reader, notes } = open(env, "t");
    expect(head.title).toMatch(/^Hello/);
    expect([...reader.messages()].map((message) => message.role)).toEqual(["user", "assistant"]);
    expect(notes.damaged.get(path)).toBe(2);
  });

  it("shows errors and turns that ended badly, and counts what it does not know", () => {
    const env = madeHome();
    const events = [
      { type: "error", error: "rate limited" },
      { type: "turn_ended", status: "aborted" },
      { type: "turn_ended", status: "success" },
      { type: "novelty" },
      { role: "oracle" },
      { role: "assistant", message: { content: [{ type: "hologram" }] } },
    ];
    writeIn(env, `${PROJECT}/t.jsonl`, line("user", "Hello") + events.map((event) => JSON.stringify(event)).join("\n"));
    const { reader, notes } = open(env, "t");
    const system = [...reader.messages()].filter((message) => message.role === "system").map(({ content }) => content);
    expect(system).toEqual(["rate limited", "Turn ended: aborted"]);
    expect([...notes.unknownTypes.keys()]).toEqual(["type novelty", "role oracle", "part hologram"]);
  });

  it("that is empty is not a session", () => {
    const env = madeHome();
    writeIn(env, `${PROJECT}/empty.jsonl`, "");
    writeIn(env, `${PROJECT}/blank.txt`, "\n");
    const notes = new ReadNotes();
    for (const source of history.listSessions(env, notes)) {
      expect(history.summarize(source, env, notes)).toBeUndefined();
      expect(history.read(source, env, notes)).toBeUndefined();
    }
    expect(notes.skipped).toEqual([]);
  });

  it.each(["broken.jsonl", "broken.txt"])("that is unreadable is reported, and an error on request: %s", (name) => {
    const env = madeHome();
    const path = writeIn(env, `${PROJECT}/${name}`, "garbage\n");
    const notes = new ReadNotes();
    const [source] = history.listSessions(env, notes);
    expect(history.summarize(source!, env, notes)).toBeUndefined();
    expect(notes.skipped).toEqual([{ path, reason: "holds no readable message" }]);
    expect(() => history.read(source!, env, notes)).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
  });

  it("in lines is preferred to the same in text", () => {
    const env = madeHome();
    writeIn(env, `${PROJECT}/t.txt`, "user:\nText\n");
    writeIn(env, `${PROJECT}/t/t.jsonl`, line("user", "Lines"));
    expect(listedIds(history, env)).toEqual(["t"]);
    expect(open(env, "t").head.title).toBe("Lines");
  });

  it("knows its directory only when exactly one known directory has its name", () => {
    const env = madeHome();
    writeIn(env, `${PROJECT}/t.jsonl`, line("user", "Hello"));
    expect(open(env, "t").head.cwd).toBeUndefined();
    chatOf(env, [{ role: "user", content: "Hi" }]);
    writeIn(env, `${CHAT}/meta.json`, JSON.stringify({ cwd: "/home/me/shop-api" }));
    expect(open(env, "t").head.cwd).toBe("/home/me/shop-api");
    writeIn(env, ".config/Cursor/User/workspaceStorage/w/workspace.json", '{"folder":"file:///home/me/shop/api"}');
    expect(open(env, "t").head.cwd).toBeUndefined();
  });
});

describe("the IDE's database", () => {
  const VALUES = "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);";
  const insert = (key: string, value: unknown): string =>
    `INSERT INTO cursorDiskKV VALUES ('${key}', '${JSON.stringify(value).replaceAll("'", "''")}');`;

  function ideHome(env: AgentEnv, ...statements: string[]): AgentEnv {
    makeDatabase(join(env.home, ".config/Cursor/User/globalStorage/state.vscdb"), VALUES, ...statements);
    return env;
  }

  it("may hold the conversation in the composer itself, without a name and a workspace", () => {
    const env = ideHome(
      madeHome(),
      insert("composerData:c", {
        conversation: [
          { bubbleId: "b1", type: 1, text: "Hello" },
          { bubbleId: "b2", type: 2, text: "Hi" },
        ],
      }),
    );
    const workspace = ".config/Cursor/User/workspaceStorage/w";
    writeIn(env, `${workspace}/workspace.json`, '{"folder":"file:///home/me/shop"}');
    makeDatabase(
      join(env.home, `${workspace}/state.vscdb`),
      `CREATE TABLE ItemTable (key TEXT, value BLOB); INSERT INTO ItemTable VALUES ('composer.composerData', '{"allComposers":[{"composerId":"c"}]}')`,
    );
    const { head, reader } = open(env, "c");
    expect(head).toEqual({ title: "Hello", cwd: "/home/me/shop", usageUnknown: true });
    expect([...reader.messages()]).toHaveLength(2);
  });

  it("may have lost bubbles, hold broken values and bubbles of unknown kinds", () => {
    const env = ideHome(
      madeHome(),
      insert("composerData:c", {
        name: "Named",
        fullConversationHeadersOnly: [{ bubbleId: "b1" }, { bubbleId: "gone" }, { bubbleId: "b3" }, { bubbleId: "b4" }],
      }),
      insert("bubbleId:c:b1", { type: 1, text: "Hello" }),
      insert("bubbleId:c:b3", { type: 9, text: "?" }),
      insert("bubbleId:c:b4", { type: 2, toolFormerData: { name: "run", rawArgs: "ls", status: "error" } }),
      "INSERT INTO cursorDiskKV VALUES ('composerData:null', NULL), ('composerData:torn', '{\"name\":'), ('cursorAuth/accessToken', 'secret');",
    );
    expect(listedIds(history, env)).toEqual(["c"]);
    const { reader, notes } = open(env, "c");
    expect([...reader.messages()].map((message) => message.toolCalls ?? message.content)).toEqual([
      "Hello",
      [{ toolCallId: "", toolName: "run", input: "ls", isError: true }],
    ]);
    expect([notes.damagedLines, [...notes.unknownTypes.keys()]]).toEqual([1, ["bubble 9"]]);
    expect(JSON.stringify(reader.raw())).not.toContain("secret");
  });

  it("is reported when it is broken, and affects nothing else", () => {
    const env = madeHome();
    chatOf(env, [{ role: "user", content: "Hi" }]);
    const ide = writeIn(env, ".config/Cursor/User/globalStorage/state.vscdb", "no database at all");
    const documented = writeIn(env, ".cursor/sessions/sessions.db", "neither");
    const notes = new ReadNotes();
    expect(listedIds(history, env, notes)).toEqual(["chat-1"]);
    expect(notes.skipped.map((skipped) => skipped.path)).toEqual([ide, documented]);
  });

  it("wins over a transcript of the same conversation", () => {
    const env = ideHome(
      madeHome(),
      insert("composerData:t", { name: "In the IDE", conversation: [{ bubbleId: "b", type: 1, text: "x" }] }),
    );
    writeIn(env, `${PROJECT}/t.jsonl`, line("user", "In the transcript"));
    expect(listedIds(history, env)).toEqual(["t"]);
    expect(open(env, "t").head.title).toBe("In the IDE");
  });
});

describe("the documented locations", () => {
  it("are read with fewer columns, and unknown tokens stay unknown", () => {
    const env = madeHome();
    makeDatabase(
      join(env.home, ".cursor/sessions/sessions.db"),
      `CREATE TABLE sessions (id INTEGER PRIMARY KEY, title TEXT); CREATE TABLE messages (session_id INTEGER, role TEXT, content TEXT);
       INSERT INTO sessions VALUES (7, NULL); INSERT INTO messages VALUES (7, 'user', 'Hello'), (7, 'assistant', 'Hi'), (7, 'oracle', 'x');`,
    );
    const { head, reader, notes } = open(env, "7");
    expect(head).toEqual({ title: "Hello", usageUnknown: true });
    expect([...reader.messages()]).toHaveLength(2);
    expect([...reader.usage()]).toEqual([]);
    expect([...notes.unknownTypes.keys()]).toEqual(["role oracle"]);
  });

  it("may have a counter too large for a number without losing the rest", () => {
    const env = madeHome();
    makeDatabase(
      join(env.home, ".cursor/sessions/sessions.db"),
      `CREATE TABLE sessions (id INTEGER PRIMARY KEY, created_at INTEGER); CREATE TABLE messages (id INTEGER, session_id INTEGER, role TEXT, content TEXT, input_tokens INTEGER, output_tokens INTEGER);
       INSERT INTO sessions VALUES (7, 9223372036854775807); INSERT INTO messages VALUES (1, 7, 'assistant', 'Hi', 9223372036854775807, 5);`,
    );
    const { head, reader } = open(env, "7");
    expect(head.createdMs).toBeUndefined();
    expect([...reader.usage()].map(({ tokens }) => [tokens.input, tokens.output])).toEqual([[0, 5]]);
  });

  it("may be line files with damage", () => {
    const env = madeHome();
    const path = writeIn(
      env,
      ".cursor/sessions/l.jsonl",
      '{"role":"user","content":"Hello","timestamp":"2026-01-02T03:04:05Z"}\nxx\n{"type":"novelty"}\n',
    );
    const { head, reader, notes } = open(env, "l");
    expect(head.createdMs).toBe(Date.parse("2026-01-02T03:04:05Z"));
    expect([...reader.messages()]).toHaveLength(1);
    expect([notes.damaged.get(path), [...notes.unknownTypes.keys()]]).toEqual([1, ["type novelty"]]);
  });
});

describe("the environment", () => {
  it("moves the CLI's data with CURSOR_DATA_DIR", () => {
    const env = madeHome();
    chatOf(env, [{ role: "user", content: "Hi" }]);
    expect(listedIds(history, { ...env, vars: { CURSOR_DATA_DIR: "~/elsewhere" } })).toEqual([]);
    expect(listedIds(history, { ...env, vars: { CURSOR_DATA_DIR: join(env.home, ".cursor") } })).toEqual(["chat-1"]);
  });

  it("has the IDE's data where each platform keeps it", () => {
    const database = (env: AgentEnv): string => history.roots(env).find((root) => root.endsWith("state.vscdb"))!;
    expect(database({ home: "/u", platform: "darwin", vars: {} })).toBe(
      "/u/Library/Application Support/Cursor/User/globalStorage/state.vscdb",
    );
    expect(database({ home: "/u", platform: "win32", vars: { APPDATA: "/u/roaming" } })).toBe(
      "/u/roaming/Cursor/User/globalStorage/state.vscdb",
    );
    expect(database({ home: "/u", platform: "linux", vars: { XDG_CONFIG_HOME: "/x" } })).toBe(
      "/x/Cursor/User/globalStorage/state.vscdb",
    );
  });

  it("keeps the chats of a directory under the hash of its path", () => {
    const env: AgentEnv = { home: "/u", platform: "linux", vars: {} };
    expect(history.sessionDir(env, "/home/user/dev/shop-api")).toBe(
      "/u/.cursor/chats/b2445445c3589b090b1fa99d6b283c52",
    );
    expect(history.sessionDir(env)).toBe("/u/.cursor/chats");
  });
});
