import { copyFileSync, mkdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { madeHome, makeDatabase, whileLocked } from "../../../test/support/agents/made-home.ts";
import { listedIds } from "../../../test/support/agents/reading.ts";
import { history } from "./history.ts";
import { homeWith, open, SCHEMA_26 } from "../../../test/support/agents/hermes-store.ts";

const RECORDED = join(import.meta.dirname, "fixtures", "home", ".hermes", "state.db");

function session(id: string, text: string): string {
  return `INSERT INTO sessions(id) VALUES ('${id}'); INSERT INTO messages(session_id, role, content) VALUES ('${id}', 'user', '${text}');`;
}

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
