/** The recorded homes, and hand-made stores in their own home. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { SessionMessage } from "../../../src/core/session.ts";
import type { AgentEnv, SessionHead, SessionReader, SessionSource, UsageRecord } from "../../../src/agents/adapter.ts";
import { ReadNotes } from "../../../src/agents/read-notes.ts";
import { madeHome, writeIn } from "./made-home.ts";
import { history } from "../../../src/agents/opencode/history.ts";

export const FIXTURES = join(import.meta.dirname, "../../../src/agents/opencode/fixtures");
export const DATABASE = ".local/share/opencode/opencode.db";

export function envOf(home: string, vars: Record<string, string> = {}): AgentEnv {
  return { home, platform: "linux", vars };
}

export interface Opened {
  source: SessionSource;
  head: SessionHead;
  reader: SessionReader;
  messages: SessionMessage[];
  usage: UsageRecord[];
}

export function list(env: AgentEnv, notes = new ReadNotes()): Map<string, SessionSource> {
  return new Map(history.listSessions(env, notes).map((source) => [source.sessionId, source]));
}

export function open(env: AgentEnv, sessionId: string, notes = new ReadNotes()): Opened {
  const source = list(env, notes).get(sessionId);
  if (source === undefined) throw new Error(`${sessionId} is not listed`);
  const head = history.summarize(source, env, notes);
  const reader = history.read(source, env, notes);
  if (head === undefined || reader === undefined) throw new Error(`${sessionId} holds no conversation`);
  return { source, head, reader, messages: [...reader.messages()], usage: [...reader.usage()] };
}

/** A home with OpenCode's data directory in it. */
export class MadeHome {
  readonly env = madeHome();
  readonly path = this.env.home;
  readonly data = join(this.path, ".local", "share", "opencode");

  constructor() {
    mkdirSync(this.data, { recursive: true });
  }

  /** Copies of recorded files that a test may change. */
  copy(fixture: string, to = "."): void {
    cpSync(join(FIXTURES, fixture), join(this.path, to), { recursive: true });
  }

  write(path: string, content: string | Uint8Array | object): void {
    const isFinal = typeof content === "string" || content instanceof Uint8Array;
    writeIn(this.env, path, isFinal ? content : JSON.stringify(content));
  }

  /** Opens a database of the home for writing; the caller closes it. */
  database(name = "opencode.db"): InstanceType<typeof DatabaseSync> {
    return new DatabaseSync(join(this.data, name));
  }
}

/** The relevant columns of the 1.x tables. */
export const V1_TABLES = `
  CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, revert TEXT,
    time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
`;

/** 2026-10-01, for hand-made sessions. */
export const T0 = 1_790_812_800_000;

/** Writes sessions, messages and parts of the 1.x tables. */
export class Writer {
  readonly #database: InstanceType<typeof DatabaseSync>;
  #parts = 0;

  constructor(database: InstanceType<typeof DatabaseSync>) {
    this.#database = database;
  }

  session(id: string, createdMs: number, columns: Record<string, string | number> = {}): void {
    const row = {
      id,
      title: `Title of ${id}`,
      directory: "/project",
      time_created: createdMs,
      time_updated: createdMs,
      ...columns,
    };
    const names = Object.keys(row);
    this.#database
      .prepare(`INSERT INTO session (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
      .run(...Object.values(row));
  }

  message(id: string, sessionId: string, createdMs: number, data: object, ...parts: object[]): void {
    const text = JSON.stringify({ time: { created: createdMs, completed: createdMs + 1 }, ...data });
    this.#database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(id, sessionId, createdMs, createdMs, text);
    for (const part of parts) {
      const partId = `prt_${String(this.#parts++).padStart(12, "0")}`;
      this.#database.prepare("INSERT INTO part VALUES (?, ?, ?, ?)").run(partId, id, sessionId, JSON.stringify(part));
    }
  }

  prompt(id: string, sessionId: string, createdMs: number, text: string): void {
    this.message(id, sessionId, createdMs, { role: "user" }, { type: "text", text });
  }

  reply(id: string, sessionId: string, createdMs: number, text: string, data: object = {}): void {
    const usage = {
      cost: 0.01,
      tokens: { total: 130, input: 100, output: 20, reasoning: 10, cache: { read: 0, write: 0 } },
    };
    const message = { role: "assistant", modelID: "sonnet", providerID: "anthropic", ...usage, ...data };
    this.message(id, sessionId, createdMs, message, { type: "text", text });
  }
}
