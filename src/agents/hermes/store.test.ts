import { copyFileSync, mkdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase, whileLocked, writeIn } from "../../../test/support/agents/made-home.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import { homeWith, open, SCHEMA_26 } from "../../../test/support/agents/hermes-store.ts";

const RECORDED = join(import.meta.dirname, "fixtures", "home", ".hermes", "state.db");

function session(id: string, text: string): string {
  return `INSERT INTO sessions(id) VALUES ('${id}'); INSERT INTO messages(session_id, role, content) VALUES ('${id}', 'user', '${text}');`;
}

describe("places", () => {
  const env = homeWith(session("main", "Hello"));
  const profile = (name: string): string => join(env.home, ".hermes", "profiles", name);
  makeDatabase(join(profile("work"), "state.db"), SCHEMA_26, session("profile", "Hello"), session("main", "A copy"));

  it("include every profile, and a session found twice is the default home's", () => {
    expect(listedIds(history, env).sort()).toEqual(["main", "profile"]);
    expect(open(env, "main").head.title).toBe("Hello");
  });

  it("follow HERMES_HOME, also into a profile", () => {
    const inside: AgentEnv = { ...env, vars: { HERMES_HOME: profile("work") } };
    expect(listedIds(history, inside).sort()).toEqual(["main", "profile"]);
    expect(open(inside, "main").head.title).toBe("A copy");
    const elsewhere: AgentEnv = { ...env, vars: { HERMES_HOME: "~/other" } };
    expect(listedIds(history, elsewhere)).toEqual([]);
    expect(history.sessionDir(elsewhere)).toBe(join(env.home, "other"));
  });

  it("are in the local application data on Windows", () => {
    const windows: AgentEnv = { home: "/u", platform: "win32", vars: { LOCALAPPDATA: "/u/local" } };
    expect(history.roots(windows)).toEqual(["/u/local/hermes/state.db", "/u/local/hermes/sessions"]);
  });

  it("are reported whether they exist or not", () => {
    expect(history.roots({ home: "/nowhere", platform: "linux", vars: {} })).toEqual([
      "/nowhere/.hermes/state.db",
      "/nowhere/.hermes/sessions",
    ]);
  });

  it("count the write-ahead log among a session's files", () => {
    const live = join(import.meta.dirname, "fixtures", "live-home");
    const [source] = history.listSessions({ home: live, platform: "linux", vars: {} }, new ReadNotes());
    expect(source!.files.map((file) => file.path.slice(live.length))).toEqual([
      "/.hermes/state.db",
      "/.hermes/state.db-wal",
    ]);
  });

  it("contain a line file only for a session no database has", () => {
    const both = homeWith(session("known", "In the database"));
    const directory = join(both.home, ".hermes", "sessions");
    mkdirSync(directory);
    for (const id of ["known", "only-here"]) {
      writeFileSync(join(directory, `${id}.jsonl`), '{"role":"user","content":"In a file"}\n');
    }
    expect(listedIds(history, both)).toEqual(["known", "only-here"]);
    expect(open(both, "known").head.title).toBe("In the database");
  });
});

describe("lineage without marks", () => {
  const parent = (reason: string): string =>
    `INSERT INTO sessions(id, session_key, end_reason, ended_at) VALUES ('p', 'k', '${reason}', 1790000050);
     INSERT INTO messages(session_id, role, content, timestamp) VALUES ('p', 'user', 'One', 1790000001), ('p', 'assistant', 'Two', 1790000002);`;
  const child = `
     INSERT INTO sessions(id, parent_session_id, session_key, started_at) VALUES ('c', 'p', 'k', 1790000060);
     INSERT INTO messages(session_id, role, content, timestamp) VALUES ('c', 'user', 'One', 1790000061), ('c', 'assistant', 'Two', 1790000061), ('c', 'user', 'Three', 1790000062);`;

  it("is derived from how the parent ended", () => {
    const relations = ["branched", "compression", "idle", "cli_close"].map((reason) => {
      const { head } = open(homeWith(parent(reason), child), "c");
      return [reason, head.forkedFrom, head.parentId];
    });
    expect(relations).toEqual([
      ["branched", "p", undefined],
      ["compression", "p", undefined],
      ["idle", undefined, undefined],
      ["cli_close", undefined, "p"],
    ]);
  });

  it("finds re-dated copies by their common beginning", () => {
    const messages = [...open(homeWith(parent("branched"), child), "c").reader.messages()];
    expect(messages.map((message) => message.inherited ?? false)).toEqual([true, true, false]);
  });

  it("treats messages older than the branch as copies when the parent is gone", () => {
    const { reader } = open(
      homeWith(
        `INSERT INTO sessions(id, model_config, started_at) VALUES ('c', '{"_branched_from":"gone"}', 1790000060);
         INSERT INTO messages(session_id, role, content, timestamp) VALUES ('c', 'user', 'One', 1790000001), ('c', 'user', 'Two', 1790000061);`,
      ),
      "c",
    );
    expect([...reader.messages()].map((message) => message.inherited ?? false)).toEqual([true, false]);
  });
});

describe("text that Hermes wrote in the user's name", () => {
  const shown = (content: string): [string, string][] => {
    const env = homeWith(
      `INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(session_id, role, content) VALUES ('s', 'user', '${content.replaceAll("'", "''")}'), ('s', 'user', 'Real words');`,
    );
    const { head, reader } = open(env, "s");
    expect(head.title).toBe([...reader.messages()].find((message) => message.role === "user")!.content);
    return [...reader.messages()].map((message) => [message.role, message.content]);
  };

  it("is a notice, never a prompt or a title", () => {
    expect(shown("[IMPORTANT: Background process p1 completed (exit code 0).]")[0]![0]).toBe("system");
    expect(shown("[System note: Your previous turn was interrupted]")[0]![0]).toBe("system");
  });

  it("around a scheduled job or a skill is removed from the prompt", () => {
    expect(shown("[IMPORTANT: You are running as a scheduled cron job. DELIVERY: …]\n\nMorning briefing")[0]).toEqual([
      "user",
      "Morning briefing",
    ]);
    const skill =
      '[IMPORTANT: The user has invoked the "work" skill, indicating they want you to follow its instructions.]\n\n# Work\n' +
      "\nThe user has provided the following instruction alongside the skill invocation: fix the leak\n\n[Runtime note: x]";
    expect(shown(skill)[0]).toEqual(["user", "/work fix the leak"]);
  });

  it("may have a prompt after a summary", () => {
    const carrier =
      "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns …\n## Done\n\n--- END OF CONTEXT SUMMARY — respond ---\n\nGo on";
    expect(shown(carrier).slice(0, 2)).toEqual([
      ["system", "## Done"],
      ["user", "Go on"],
    ]);
  });

  it("is not shown at all when Hermes hides it", () => {
    const { reader } = open(
      homeWith(
        session("s", "Hello"),
        "INSERT INTO messages(session_id, role, content, display_kind) VALUES ('s', 'user', 'x', 'hidden')",
      ),
      "s",
    );
    expect([...reader.messages()]).toHaveLength(1);
  });
});

describe("odd rows", () => {
  it("of several parts are read past the NUL they begin with", () => {
    const parts = JSON.stringify([
      { type: "text", text: "Look at this" },
      { type: "image_url", image_url: { url: "x" } },
    ]);
    const { head, reader } = open(
      homeWith(
        `INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(session_id, role, content) VALUES ('s', 'user', char(0) || 'json:' || '${parts}');`,
      ),
      "s",
    );
    expect(head.title).toBe("Look at this [image]");
    expect([...reader.messages()][0]!.content).toBe("Look at this\n[image]");
  });

  it("with cut-off arguments keep their text", () => {
    const calls = JSON.stringify([{ id: "c1", function: { name: "terminal", arguments: '{"command": "ls' } }]);
    const { reader } = open(
      homeWith(
        `INSERT INTO sessions(id) VALUES ('s');
         INSERT INTO messages(session_id, role, content, tool_calls) VALUES ('s', 'assistant', NULL, '${calls}'), ('s', 'assistant', 'x', '[{');
         INSERT INTO messages(session_id, role, content, tool_call_id) VALUES ('s', 'tool', '{"output":"","exit_code":2,"error":null}', 'c1');`,
      ),
      "s",
    );
    const [first, second, third] = [...reader.messages()];
    expect(first!.toolCalls).toMatchObject([{ toolName: "terminal", input: '{"command": "ls', isError: true }]);
    expect(second).not.toHaveProperty("toolCalls");
    expect(third!.toolResult).toMatchObject({ toolName: "terminal", isError: true });
  });

  it("of an unknown role are counted, those of old gateways skipped", () => {
    const { reader, notes } = open(
      homeWith(
        session("s", "Hello"),
        "INSERT INTO messages(session_id, role, content) VALUES ('s', 'session_meta', '{}'), ('s', 'oracle', 'x')",
      ),
      "s",
    );
    expect([...reader.messages()]).toHaveLength(1);
    expect([...notes.unknownTypes]).toEqual([["role oracle", 1]]);
  });

  it("of a second compaction do not repeat the first summary or the copies", () => {
    const summary = "[CONTEXT COMPACTION — REFERENCE ONLY] …\n## First";
    const values = (text: string, at: number, active: 0 | 1): string =>
      `('s', 'user', '${text}', ${at}, ${active}, ${1 - active})`;
    const { reader } = open(
      homeWith(
        `INSERT INTO sessions(id) VALUES ('s');
         INSERT INTO messages(session_id, role, content, timestamp, active, compacted) VALUES
         ${[
           values("One", 1790000001, 0),
           values("Two", 1790000002, 0),
           values(`[PRIOR CONTEXT — …]\nTwo\n\n[END OF PRIOR CONTEXT — …]\n\n${summary}`, 1790000002, 0),
           values("Three", 1790000003, 0),
           values(`[PRIOR CONTEXT — …]\nTwo\n\n[END OF PRIOR CONTEXT — …]\n\n${summary}`, 1790000002, 1),
           values("Three", 1790000003, 1),
           values("Four", 1790000004, 1),
         ].join(", ")};`,
      ),
      "s",
    );
    expect([...reader.messages()].map((message) => message.content)).toEqual([
      "One",
      "Two",
      "## First",
      "Three",
      "Four",
    ]);
  });

  it("without a mark, from before there were marks, are active", () => {
    const env = homeWith(
      "INSERT INTO sessions(id) VALUES ('s'); INSERT INTO messages(session_id, role, content, active) VALUES ('s', 'user', 'Hello', NULL);",
    );
    const { head, reader } = open(env, "s");
    expect([head.title, [...reader.messages()].length]).toEqual(["Hello", 1]);
  });

  it("without messages and without a bill are not sessions", () => {
    expect(listedIds(history, homeWith("INSERT INTO sessions(id) VALUES ('empty')"))).toEqual([]);
  });
});

describe("damage", () => {
  function homeWithFile(content: string | Buffer): { env: AgentEnv; path: string } {
    const env = madeHome();
    const path = join(env.home, ".hermes", "state.db");
    mkdirSync(join(env.home, ".hermes"));
    writeFileSync(path, content);
    return { env, path };
  }

  it("of one database is reported and does not lose the others", () => {
    const { env, path } = homeWithFile("this is no database");
    makeDatabase(join(env.home, ".hermes", "profiles", "work", "state.db"), SCHEMA_26, session("profile", "Hello"));
    const notes = new ReadNotes();
    expect(listedIds(history, env, notes)).toEqual(["profile"]);
    expect(notes.skipped.map((skipped) => skipped.path)).toEqual([path]);
  });

  it("of a database does not hide a session_<id>.json beside it", () => {
    const { env, path } = homeWithFile("this is no database");
    const document = {
      session_id: "20260315_101530_ab12cd",
      model: "hermes-4",
      session_start: "2026-03-15T10:15:30Z",
      last_updated: "2026-03-15T10:20:00Z",
      messages: [
        { role: "user", content: [{ type: "text", text: "Which routes exist?" }] },
        { role: "user", content: "" },
        { role: "assistant", content: "", tool_calls: [{ id: "c", function: { name: "terminal", arguments: "{}" } }] },
        { role: "tool", content: "ok", tool_call_id: "c" },
        { role: "assistant", content: "Two." },
      ],
    };
    const directory = join(env.home, ".hermes", "sessions");
    mkdirSync(directory);
    writeFileSync(join(directory, "session_20260315_101530_ab12cd.json"), JSON.stringify(document));
    writeFileSync(join(directory, "session_broken.json"), '{"hello":1}');
    writeFileSync(join(directory, "sessions.json"), "{}");
    const { head, reader, notes } = open(env, "20260315_101530_ab12cd");
    expect(head).toMatchObject({
      title: "Which routes exist?",
      model: "hermes-4",
      createdMs: Date.parse("2026-03-15T10:15:30Z"),
      updatedMs: Date.parse("2026-03-15T10:20:00Z"),
    });
    expect([...reader.messages()].map(({ role, content }) => `${role}: ${content}`)).toEqual([
      "user: Which routes exist?",
      "assistant: ",
      "tool: ok",
      "assistant: Two.",
    ]);
    expect(notes.skipped.map((skipped) => skipped.path)).toEqual([path]);
    expect(listedIds(history, env).sort()).toEqual(["20260315_101530_ab12cd", "broken"]);
    const broken = history.listSessions(env, notes).find(({ sessionId }) => sessionId === "broken")!;
    expect(history.summarize(broken, env, notes)).toBeUndefined();
    expect(() => history.read(broken, env, notes)).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
  });

  it("by truncation is reported, not thrown", () => {
    const { env, path } = homeWithFile("");
    copyFileSync(RECORDED, path);
    truncateSync(path, 40_000);
    const notes = new ReadNotes();
    expect(listedIds(history, env, notes)).toEqual([]);
    expect(notes.skippedCount).toBeGreaterThan(0);
  });

  it("is not assumed while Hermes is writing", () => {
    const env = homeWith(session("main", "Hello"));
    whileLocked(join(env.home, ".hermes", "state.db"), () => {
      const { head, reader, notes } = open(env, "main");
      expect(head.title).toBe("Hello");
      expect([...reader.messages()]).toHaveLength(1);
      expect(notes.skipped).toEqual([]);
    });
  });

  it("after the listing is a parse error of the session", () => {
    const { env, path } = homeWithFile("");
    copyFileSync(RECORDED, path);
    const [source] = history.listSessions(env, new ReadNotes());
    writeFileSync(path, "gone bad");
    expect(() => history.read(source!, env, new ReadNotes())).toThrow(expect.objectContaining({ code: "PARSE_ERROR" }));
  });

  it("is not assumed when the file is empty or missing", () => {
    const { env } = homeWithFile("");
    const notes = new ReadNotes();
    expect(listedIds(history, env, notes)).toEqual([]);
    expect(notes.skipped).toEqual([]);
  });

  it("includes a directory in place of the database", () => {
    const env = madeHome();
    mkdirSync(join(env.home, ".hermes", "state.db"), { recursive: true });
    const notes = new ReadNotes();
    expect(listedIds(history, env, notes)).toEqual([]);
    expect(notes.skipped.map((skipped) => skipped.reason)).toEqual(["is a directory"]);
  });

  it("includes a database without the tables, except beside state.db", () => {
    const env = madeHome();
    makeDatabase(join(env.home, ".hermes", "state.db"), "CREATE TABLE x (y)");
    makeDatabase(join(env.home, ".hermes", "kanban.db"), "CREATE TABLE x (y)");
    const notes = new ReadNotes();
    expect(listedIds(history, env, notes)).toEqual([]);
    expect(notes.skipped.map((skipped) => skipped.reason)).toEqual(["has no tables of sessions and messages"]);
  });

  it("of a line file loses only its bad lines", () => {
    const env = madeHome();
    const path = join(env.home, ".hermes", "sessions", "chat.jsonl");
    mkdirSync(join(env.home, ".hermes", "sessions"), { recursive: true });
    writeFileSync(
      path,
      '\ufeff{"role":"session_meta","model":"m","timestamp":"2026-03-01T10:00:00Z"}\r\n\r\n\0\0\0{"role":"user","content":"Hi \\ud800"}\r\nnot json\n' +
        '{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"terminal","arguments":"{}"}}]}\n' +
        '{"role":"tool","content":"ok","tool_call_id":"c"}\n{"role":"assistant","content":"Done"}\n{"role":"assis',
    );
    utimesSync(path, 1_800_000_000, 1_800_000_000);
    const { head, reader, notes } = open(env, "chat");
    expect(head).toMatchObject({ model: "m", createdMs: Date.parse("2026-03-01T10:00:00Z"), usageUnknown: true });
    expect([...reader.messages()].map((message) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect([...reader.messages()][1]!.toolCalls).toMatchObject([{ toolName: "terminal", output: "ok" }]);
    expect(notes.damaged.get(path)).toBe(2);

    writeFileSync(path, "garbage\n");
    expect(history.summarize({ sessionId: "chat", path, files: [], updatedMs: 1 }, env, notes)).toBeUndefined();
    expect(notes.skipped).toEqual([{ path, reason: "holds no readable message" }]);
    expect(() => history.read({ sessionId: "chat", path, files: [], updatedMs: 1 }, env, new ReadNotes())).toThrow(
      expect.objectContaining({ code: "PARSE_ERROR" }),
    );
    writeFileSync(path, "");
    expect(history.read({ sessionId: "chat", path, files: [], updatedMs: 1 }, env, new ReadNotes())).toBeUndefined();
    expect(readFileSync(path, "utf8")).toBe("");
  });
});

describe("a session file beside the database", () => {
  const document = JSON.stringify({
    model: "hermes-4",
    messages: [
      { role: "user", content: "Which port is free?" },
      { role: "assistant", content: "Port 4321 is." },
    ],
  });
  const said = (env: AgentEnv): string[] => [...open(env, "s").reader.messages()].map(({ content }) => content);

  it("says what was said when the database has lost the messages", () => {
    const env = homeWith(
      `INSERT INTO sessions(id, title) VALUES ('s', 'Ports');
       INSERT INTO session_model_usage(session_id, model, input_tokens) VALUES ('s', 'hermes-4', 50);`,
    );
    writeIn(env, ".hermes/sessions/session_s.json", document);
    expect(said(env)).toEqual(["Which port is free?", "Port 4321 is."]);
    expect(open(env, "s").head.title).toBe("Ports");
  });

  it("is read when the messages of the database cannot be", () => {
    const env = madeHome();
    makeDatabase(
      join(env.home, ".hermes", "state.db"),
      `CREATE TABLE sessions (id TEXT, title TEXT, started_at REAL);
       CREATE TABLE messages (session_id TEXT, role TEXT, timestamp REAL);
       INSERT INTO sessions VALUES ('s', 'Ports', 1790000000);
       INSERT INTO messages VALUES ('s', 'user', 1790000001);`,
    );
    writeIn(env, ".hermes/sessions/session_s.json", document);
    expect(said(env)).toEqual(["Which port is free?", "Port 4321 is."]);
  });

  it("does not speak for a session of the same id in another profile", () => {
    const env = homeWith(
      `INSERT INTO sessions(id, title) VALUES ('s', 'Ports');
       INSERT INTO session_model_usage(session_id, model, input_tokens) VALUES ('s', 'hermes-4', 50);`,
    );
    writeIn(env, ".hermes/profiles/work/sessions/session_s.json", document);
    expect(said(env)).toEqual([]);
  });

  it("is found by its own id", () => {
    const env = madeHome();
    writeIn(env, ".hermes/sessions/session_s.json", document);
    const found = history.search!.sessions(env, "4321", 10, new ReadNotes());
    expect(found).toMatchObject([{ sessionId: "s", messageIndex: 1 }]);
  });
});
