import { spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { treeHash } from "../../../test/support/agents/conformance.ts";
import { ReadNotes } from "../read-notes.ts";
import adapter from "./index.ts";
import {
  DATABASE,
  envOf,
  FIXTURES,
  list,
  open,
  T0,
  MadeHome,
  V1_TABLES,
  Writer,
} from "../../../test/support/agents/opencode-store.ts";

let home: MadeHome;

beforeEach(() => {
  home = new MadeHome();
});

/** How many states of a growing database are read. */
const STATES = 8;

/** A database with one session of one turn. */
function simpleDatabase(name = "opencode.db", id = "ses_a", updatedMs = T0, answer = "hi"): void {
  const database = home.database(name);
  database.exec(V1_TABLES);
  const write = new Writer(database);
  write.session(id, T0, { time_updated: updatedMs });
  write.prompt(`${id}u`, id, T0 + 1, "hello");
  write.reply(`${id}a`, id, T0 + 2, answer);
  database.close();
}

/** A session in the files of 1.0 and 1.1. */
function treeSession(id: string, info: object | string, messages: Record<string, object | string>): void {
  home.write(`.local/share/opencode/storage/session/p1/${id}.json`, info);
  for (const [name, content] of Object.entries(messages)) {
    home.write(`.local/share/opencode/storage/message/${id}/${name}.json`, content);
  }
}

describe("locations", () => {
  it("are below XDG_DATA_HOME when it is set, on every platform", () => {
    const env = { ...envOf("/h", { XDG_DATA_HOME: "/x" }), platform: "win32" as const };
    expect(adapter.history.roots(env)).toEqual(["/x/opencode"]);
    expect(adapter.history.sessionDir(env)).toBe("/x/opencode");
  });

  it("are both the real and the documented one where they differ", () => {
    const env = { ...envOf("/h"), platform: "win32" as const };
    expect(adapter.history.roots(env)).toEqual(["/h/.local/share/opencode", "/h/AppData/Local/opencode"]);
  });

  it("include the database that OPENCODE_DB names", () => {
    simpleDatabase("mine.db");
    expect(list(home.env).size).toBe(0);
    expect([...list(envOf(home.path, { OPENCODE_DB: "mine.db" })).keys()]).toEqual(["ses_a"]);
    expect([...list(envOf(home.path, { OPENCODE_DB: join(home.data, "mine.db") })).keys()]).toEqual(["ses_a"]);
    expect(list(envOf(home.path, { OPENCODE_DB: ":memory:" })).size).toBe(0);
  });

  it("hold nothing when there is no OpenCode", () => {
    const notes = new ReadNotes();
    expect(list(envOf(join(home.path, "nobody")), notes).size).toBe(0);
    expect(notes.skipped).toEqual([]);
  });
});

describe("databases of several channels", () => {
  it("are all read, and a session in two of them once, where it continued", () => {
    simpleDatabase("opencode.db", "ses_a", T0 + 5, "stale");
    simpleDatabase("opencode-beta.db", "ses_a", T0 + 9, "fresh");
    simpleDatabase("opencode-local.db", "ses_b");
    expect([...list(home.env).keys()].sort()).toEqual(["ses_a", "ses_b"]);
    expect(open(home.env, "ses_a").messages.at(-1)?.content).toBe("fresh");
  });

  it("leave the plain one its sessions when a copy is not newer", () => {
    simpleDatabase("opencode-backup.db");
    simpleDatabase("opencode.db");
    expect(open(home.env, "ses_a").source.path).toBe(join(home.data, "opencode.db"));
  });
});

describe("the write-ahead log", () => {
  it("is read with the database, and named among the files to watch", () => {
    const { source } = open(envOf(join(FIXTURES, "home-wal")), "ses_eb1c2b5b3ffe00xV7nq86N8o1X");
    expect(source.files.map(({ path }) => path)).toEqual([source.path, `${source.path}-wal`]);
  });

  it("may be written by a running OpenCode while sessions are listed and read", async () => {
    copyFileSync(join(FIXTURES, "home", DATABASE), join(home.data, "opencode.db"));
    const known = list(home.env).size;
    const script = `
      const { existsSync } = require("node:fs");
      const { DatabaseSync } = require(${JSON.stringify(createRequire(import.meta.url).resolve("@photostructure/sqlite"))});
      const db = new DatabaseSync(${JSON.stringify(join(home.data, "opencode.db"))}, { timeout: 0 });
      db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 50");
      const session = db.prepare("INSERT INTO session (id, project_id, slug, directory, title, version, time_created, time_updated) VALUES (?, 'global', 's', '/w', 'Live', '1', ?, ?)");
      const message = db.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
      db.exec("PRAGMA foreign_keys = OFF");
      console.log("ready");
      let refused = 0, written = 0;
      while (!existsSync(${JSON.stringify(join(home.path, "enough"))})) {
        const id = "ses_live" + written, t = ${T0} + written * 10;
        try {
          db.exec("BEGIN IMMEDIATE");
          session.run(id, t, t);
          for (let i = 0; i < 4; i++) message.run(id + "m" + i, id, t + i, t + i, JSON.stringify({ role: i % 2 ? "assistant" : "user", time: { created: t + i }, text: "x".repeat(500) }));
          db.exec("COMMIT");
          written++;
        } catch { refused++; }
      }
      console.log(JSON.stringify({ refused, written }));
    `;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    const notes = new ReadNotes();
    const seen = new Set<number>();
    while (child.exitCode === null && child.signalCode === null) {
      const sources = [...list(home.env, notes).values()];
      expect(sources.length).toBeGreaterThanOrEqual(known);
      // It stops when it was read in some of its states.
      if (seen.add(sources.length).size > STATES) home.write("enough", "");
      const raw = adapter.history.read(sources.at(-1)!, home.env, notes)?.raw() as { messages: unknown[] };
      expect(raw.messages).toHaveLength(4);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const { refused, written } = JSON.parse((await lines.next()).value);
    expect(refused).toBe(0);
    expect(written).toBeGreaterThan(STATES / 2);
    expect(notes.skipped).toEqual([]);
    expect(list(home.env).size).toBe(known + written);
  });
});

describe("text that is not a prompt", () => {
  it("gives no user message and no title", () => {
    const database = home.database();
    database.exec(V1_TABLES);
    const write = new Writer(database);
    write.session("ses_a", T0, { title: "New session - 2026-10-01T00:00:00.000Z" });
    const synthetic = { type: "text", text: "Called the Read tool with the following input", synthetic: true };
    write.message("m0", "ses_a", T0 + 1, { role: "user" }, synthetic);
    write.message(
      "m1",
      "ses_a",
      T0 + 2,
      { role: "user" },
      synthetic,
      { type: "text", text: "Explain\nthis" },
      { type: "file", filename: "a.ts" },
    );
    write.message("m2", "ses_a", T0 + 3, { role: "user" }, { type: "compaction", auto: true });
    write.reply("m3", "ses_a", T0 + 4, "What happened so far", { summary: true });
    write.message("m4", "ses_a", T0 + 5, { role: "user" }, { type: "file", filename: "cat.png", mime: "image/png" });
    write.message("m5", "ses_a", T0 + 6, { role: "user" }, { type: "subtask", prompt: "Review it", agent: "review" });
    database.close();
    const { head, reader, messages, usage } = open(home.env, "ses_a");
    expect(head.title).toBe("Explain this");
    expect(reader.head.title).toBe(head.title);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Explain\nthis"],
      ["system", "What happened so far"],
      ["user", "cat.png"],
      ["user", "Review it"],
    ]);
    expect(usage).toHaveLength(1);
  });
});

describe("ids", () => {
  it("do not order messages or parts across the moment when they start over", () => {
    const part = (text: string): object => ({ type: "text", text });
    treeSession(
      "ses_a",
      { title: "Straddling", time: { created: T0 } },
      {
        msg_ffffffffffff1: { role: "user", time: { created: T0 } },
        msg_0000000000001: { role: "assistant", time: { created: T0 + 1 } },
      },
    );
    const parts = ".local/share/opencode/storage/part";
    home.write(`${parts}/msg_ffffffffffff1/prt_ffffffffffff1.json`, part("first"));
    home.write(`${parts}/msg_0000000000001/prt_0000000000002.json`, part("third"));
    home.write(`${parts}/msg_0000000000001/prt_ffffffffffff2.json`, part("second"));
    expect(open(home.env, "ses_a").messages.map(({ content }) => content)).toEqual(["first", "second\n\nthird"]);
  });
});

describe("damage", () => {
  it.each(["not-a-database.db", "truncated.db"])("to one database is reported and loses no other: %s", (name) => {
    simpleDatabase("opencode-other.db");
    copyFileSync(join(FIXTURES, "damaged", name), join(home.data, "opencode.db"));
    const notes = new ReadNotes();
    expect([...list(home.env, notes).keys()]).toEqual(["ses_a"]);
    expect(notes.skipped.map(({ path }) => path)).toEqual([join(home.data, "opencode.db")]);
    expect(notes.skipped[0]?.reason).toMatch(/not a database|malformed/);
  });

  it("to one message is counted, and the rest of the session read", () => {
    copyFileSync(join(FIXTURES, "damaged", "bad-message-json.db"), join(home.data, "opencode.db"));
    const notes = new ReadNotes();
    const { messages } = open(home.env, "ses_eb1f9a39bffeoB6V2fec8Yft36", notes);
    expect(messages.map(({ content }) => content)).toEqual(["First session, kept in the database file."]);
    expect(notes.damagedLines).toBe(1);
    expect(open(home.env, "ses_eb1c2b5b3ffe00xV7nq86N8o1X").messages).toHaveLength(2);
  });

  it("to all messages of a session is an error, and only of that session", () => {
    simpleDatabase();
    const database = home.database();
    new Writer(database).session("ses_b", T0);
    database.exec("INSERT INTO message VALUES ('bad', 'ses_b', 1, 1, '{\"role\":')");
    database.close();
    const source = list(home.env).get("ses_b")!;
    expect(() => adapter.history.read(source, home.env, new ReadNotes())).toThrow(
      expect.objectContaining({ code: "PARSE_ERROR", message: expect.stringContaining("none of its messages") }),
    );
    expect(open(home.env, "ses_a").messages).toHaveLength(2);
  });

  it("to a database between listing and reading is a parse error", () => {
    simpleDatabase();
    const source = list(home.env).get("ses_a")!;
    truncateSync(source.path, 4100);
    expect(() => adapter.history.read(source, home.env, new ReadNotes())).toThrow(
      expect.objectContaining({ code: "PARSE_ERROR" }),
    );
  });

  it("to JSON files is counted, and what can be read is read", () => {
    const message = (role: string, at: number): object => ({ role, time: { created: at } });
    treeSession("ses_a", '{"title": "torn', {
      msg_1: message("user", T0),
      msg_2: '{"role":"assist',
      msg_3: "",
      msg_4: `\ufeff${JSON.stringify(message("assistant", T0 + 3))}\r\n\0\0\0`,
      msg_5: "[1]",
      msg_6: { role: "narrator", time: { created: T0 + 5 } },
    });
    const parts = ".local/share/opencode/storage/part";
    home.write(`${parts}/msg_1/prt_1.json`, { type: "text", text: "lone \ud800 surrogate" });
    home.write(`${parts}/msg_4/prt_2.json`, { type: "text", text: "answer" });
    home.write(`${parts}/msg_4/prt_3.json`, { type: "hologram" });
    home.write(`${parts}/msg_4/prt_4.json`, "garbage");
    mkdirSync(join(home.path, parts, "msg_4", "prt_5.json"));
    const notes = new ReadNotes();
    const { head, messages } = open(home.env, "ses_a", notes);
    expect(head).toMatchObject({ title: "lone \ud800 surrogate", createdMs: T0 });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect([...notes.unknownTypes.keys()]).toEqual(["part hologram", "message narrator"]);
    expect([...notes.damaged.keys()].map((path) => path.split("/").at(-1)).sort()).toEqual([
      "msg_2.json",
      "msg_3.json",
      "msg_5.json",
      "prt_4.json",
      "ses_a.json",
    ]);
    expect(notes.skipped.map(({ reason }) => reason)).toEqual(["cannot be read (EISDIR)"]);
  });

  it("to the schema, such as missing tables and columns, leaves what there is", () => {
    const database = home.database();
    database.exec(
      "CREATE TABLE session (id TEXT PRIMARY KEY); CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)",
    );
    database.exec("INSERT INTO session VALUES ('ses_a')");
    database.exec(`INSERT INTO message VALUES ('m1', 'ses_a', ${T0}, '{"role":"user"}')`);
    database.close();
    const { head, messages } = open(home.env, "ses_a");
    expect(head).toMatchObject({ title: "", createdMs: T0 });
    expect(messages).toEqual([]);
  });

  it("is not assumed for an unknown database, which is reported and skipped", () => {
    const database = home.database();
    database.exec("CREATE TABLE other (id INTEGER)");
    database.close();
    const notes = new ReadNotes();
    expect(list(home.env, notes).size).toBe(0);
    expect(notes.skipped).toEqual([{ path: join(home.data, "opencode.db"), reason: "holds no table of sessions" }]);
  });

  it("is not caused by values no schema would allow", () => {
    simpleDatabase();
    const database = home.database();
    database.exec(
      "UPDATE session SET time_created = 9223372036854775807, time_updated = 'soon', title = NULL, directory = x'ff'",
    );
    database.exec("UPDATE message SET time_created = -1 WHERE id = 'ses_au'");
    database.exec(`INSERT INTO part VALUES ('p', 'ses_aa', 'ses_a', '{"type":"tool","state":"none"}')`);
    database.close();
    const { head, messages } = open(home.env, "ses_a");
    expect(head.title).toBe("hello");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(messages[1]?.toolCalls).toMatchObject([{ toolCallId: "p", toolName: "unknown" }]);
  });
});

describe("no conversation", () => {
  it("means no session in a database", () => {
    const database = home.database();
    database.exec(V1_TABLES);
    new Writer(database).session("ses_a", T0);
    database.close();
    expect(list(home.env).size).toBe(0);
  });

  it("means no summary of a file", () => {
    treeSession("ses_a", { title: "Empty", time: { created: T0 } }, {});
    const source = list(home.env).get("ses_a")!;
    expect(adapter.history.summarize(source, home.env, new ReadNotes())).toBeUndefined();
    expect(adapter.history.read(source, home.env, new ReadNotes())).toBeUndefined();
  });

  it("is left of a session deleted after it was listed", () => {
    simpleDatabase();
    const source = list(home.env).get("ses_a")!;
    const database = home.database();
    database.exec("DELETE FROM session");
    database.close();
    expect(adapter.history.read(source, home.env, new ReadNotes())).toBeUndefined();
  });
});

describe("hostile stores", () => {
  it("cannot lead the reader out of the store by ids in their content", () => {
    home.write("secret/prt_1.json", { type: "text", text: "secret" });
    treeSession(
      "ses_a",
      { id: "../../../secret", title: "Trap", time: { created: T0 } },
      {
        msg_1: { id: "../../../../../secret", sessionID: "../..", role: "user", time: { created: T0 } },
      },
    );
    const { source, messages } = open(home.env, "ses_a");
    expect(source.sessionId).toBe("ses_a");
    expect(messages).toEqual([]);
  });

  it("with loops of links and directories in place of files are walked once", () => {
    simpleDatabase();
    mkdirSync(join(home.data, "opencode-x.db"));
    mkdirSync(join(home.data, "storage"), { recursive: true });
    symlinkSync(home.data, join(home.data, "storage", "session"));
    symlinkSync("opencode-loop.db", join(home.data, "opencode-loop.db"));
    const notes = new ReadNotes();
    expect([...list(home.env, notes).keys()]).toEqual(["ses_a"]);
    expect(notes.skipped.map(({ reason }) => reason).sort()).toEqual([
      "cannot be listed (ELOOP)",
      "cannot be read (ELOOP)",
      "is a directory",
    ]);
  });
});

describe("nothing is written", () => {
  it("even where everything is read-only", () => {
    home.copy("home-wal");
    const directory = home.data;
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444);
    chmodSync(directory, 0o555);
    const before = treeHash(home.path);
    for (const id of list(home.env).keys()) open(home.env, id).reader.raw();
    expect(treeHash(home.path)).toBe(before);
    chmodSync(directory, 0o755);
  });

  it("and no log appears beside a cleanly closed database", () => {
    simpleDatabase();
    const database = home.database();
    database.exec("PRAGMA journal_mode = WAL");
    database.close();
    rmSync(`${home.data}/opencode.db-wal`, { force: true });
    expect(open(home.env, "ses_a").messages).toHaveLength(2);
    expect(existsSync(`${home.data}/opencode.db-wal`)).toBe(false);
    expect(existsSync(`${home.data}/opencode.db-shm`)).toBe(false);
  });
});
