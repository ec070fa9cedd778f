/** The index as a search sees it: which sessions it knows, and how many of their passages contain given words. */
import { accessSync, constants, statSync } from "node:fs";
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Catalog } from "../catalog.ts";
import type { SkippedFile } from "../../agents/read-notes.ts";
import { IndexDatabase, type Row } from "../cache/database.ts";
import { TITLE_PASSAGE } from "./document.ts";
import { SEARCH_TABLES } from "./index-tables.ts";
import type { Sequence } from "./query.ts";
import { TITLE_WEIGHT } from "./plan.ts";
import type { SearchFacts } from "./filter.ts";
import { joinedSignature } from "../cache/signature.ts";

/** The columns of a session that every query needs. */
export interface IndexedSession {
  id: number;
  agent: string;
  sessionId: string;
  signature: string;
  /** Sessions whose files its conversation begins in. */
  origins: readonly string[];
  createdMs: number;
  updatedMs: number;
  /** Positions in the document. */
  length: number;
  hasConversation: boolean;
  /** Whether its files hold titles of other sessions. */
  hasTitles: boolean;
}

const COLUMNS = [
  "id",
  "agent",
  "session",
  "signature",
  "origins",
  "created_ms",
  "updated_ms",
  "length",
  "head IS NOT NULL",
  "titles IS NOT NULL",
];
type SessionRow = [
  ...whose: [id: number, agent: string, session: string, signature: string, origins: string | null],
  ...figures: [created: number, updated: number, length: number, hasConversation: number, hasTitles: number],
];

type FactsRow = [id: number, title: string | null, cwd: string | null, branch: string | null, models: string[]];

/** An upper bound on the passages of a session. */
const MOST_PASSAGES = 2 ** 24;

/** Valid for one state of the database. Call its methods inside the snapshot unless noted otherwise. */
export class SearchIndex {
  readonly database: IndexDatabase;
  readonly sessions: readonly IndexedSession[];
  readonly #byAgent = new Map<string, Map<string, IndexedSession>>();
  #facts: Map<number, SearchFacts> | undefined;

  constructor(database: IndexDatabase) {
    this.database = database;
    this.sessions = (database.table("FROM search_session", COLUMNS) as SessionRow[]).map(sessionOf);
    for (const session of this.sessions) {
      const known = this.#byAgent.get(session.agent);
      if (known) known.set(session.sessionId, session);
      else this.#byAgent.set(session.agent, new Map([[session.sessionId, session]]));
    }
  }

  /** An agent's sessions, by their own ids. */
  of(agent: string): ReadonlyMap<string, IndexedSession> {
    return this.#byAgent.get(agent) ?? new Map();
  }

  /** The session, if it is current in the index. */
  current(catalog: Catalog, source: SessionSource): IndexedSession | undefined {
    const session = this.of(catalog.adapter.name).get(source.sessionId);
    return session && session.signature === this.signatureNow(session, catalog) ? session : undefined;
  }

  /** The signature of its current files. */
  signatureNow({ sessionId, origins }: IndexedSession, catalog: Catalog): string {
    return joinedSignature([sessionId, ...origins].map((id) => catalog.signature(id)));
  }

  /** Keys shared by copies, by id. */
  families(ids: readonly number[]): Map<number, string[]> {
    const rows = this.database.table(
      "FROM search_session WHERE id IN (SELECT value FROM json_each(?))",
      ["id", "json(family)"],
      JSON.stringify(ids),
    );
    return new Map(rows as [number, string[]][]);
  }

  /** Titles that sessions of this agent hold for others, by title key. */
  titlesForOthers(agent: string): Map<string, string> {
    const titles = new Map<string, string>();
    for (const row of this.database.all(
      "SELECT titles FROM search_session WHERE agent = ? AND titles IS NOT NULL",
      agent,
    )) {
      for (const [key, title] of Object.entries(JSON.parse(String(row["titles"])) as Record<string, string>))
        titles.set(key, title);
    }
    return titles;
  }

  /**
   * A session's head, undefined if its files hold no conversation; callable at any time. Undefined if its row was replaced or
   * removed since, or the index is gone: then read its files.
   */
  shown({ id }: IndexedSession): { head: SessionHead | undefined } | undefined {
    let row: Row | undefined;
    try {
      row = this.database.get("SELECT head FROM search_session WHERE id = ?", id);
    } catch {
      // Closed since, or damaged.
    }
    if (row === undefined) return undefined;
    return { head: row["head"] === null ? undefined : (JSON.parse(String(row["head"])) as SessionHead) };
  }

  /** The values that fields test. */
  facts({ id }: IndexedSession): SearchFacts {
    this.#facts ??= this.#loadFacts();
    return this.#facts.get(id)!;
  }

  #loadFacts(): Map<number, SearchFacts> {
    const columns = ["id", ...["title", "cwd", "branch"].map((name) => `head ->> '${name}'`), "json(models)"];
    const rows = this.database.table("FROM search_session", columns) as FactsRow[];
    const byId = new Map(rows.map((row) => [row[0], row]));
    return new Map(
      this.sessions.map(({ id, agent, createdMs, updatedMs }) => {
        const [, title, cwd, branch, models] = byId.get(id)!;
        const named = { title: oneLine(title ?? ""), cwd: cwd ?? undefined, branch: branch ?? undefined };
        return [id, { agent, ...named, createdMs, updatedMs, models }];
      }),
    );
  }

  /** Sessions that are indexed as empty because their files are unusable: not read again while unchanged, but reported. */
  problems(agent: string): (SkippedFile & { sessionId: string })[] {
    const rows = this.database.all("SELECT path, reason, session FROM search_problem WHERE agent = ?", agent);
    return rows.map(({ path, reason, session }) => ({
      path: String(path),
      reason: String(reason),
      sessionId: String(session),
    }));
  }

  /** By id: the number of passages with all the words; the title counts with its weight. */
  passages({ steps, prefix }: Sequence): Map<number, number> {
    let held: Set<number> | undefined;
    for (const [step, word] of steps.entries()) {
      const passages = this.#passagesWith(word, prefix && step === steps.length - 1);
      held = held === undefined ? passages : new Set([...passages].filter((passage) => held!.has(passage)));
    }
    const counts = new Map<number, number>();
    for (const passage of held ?? []) {
      const id = Math.floor(passage / MOST_PASSAGES);
      const weight = passage % MOST_PASSAGES === TITLE_PASSAGE ? TITLE_WEIGHT : 1;
      counts.set(id, (counts.get(id) ?? 0) + weight);
    }
    return counts;
  }

  /** Passages as numbers that combine session and passage. */
  #passagesWith(word: string, isPrefix: boolean): Set<number> {
    const rows = this.database.table(
      "FROM search_words JOIN search_passage ON row = search_words.rowid WHERE search_words MATCH ?",
      ["session", "passage"],
      `"${word}"${isPrefix ? "*" : ""}`,
    ) as [session: number, passage: number][];
    return new Set(rows.map(([session, passage]) => session * MOST_PASSAGES + passage));
  }
}

function sessionOf(row: SessionRow): IndexedSession {
  const [id, agent, sessionId, signature, origins, createdMs, updatedMs, length, hasConversation, hasTitles] = row;
  return {
    id,
    agent,
    sessionId,
    signature,
    origins: origins === null ? [] : (JSON.parse(origins) as string[]),
    createdMs,
    updatedMs,
    length,
    hasConversation: hasConversation === 1,
    hasTitles: hasTitles === 1,
  };
}

/** Whether all its files can be opened. The reader of a file that cannot be opened reports why. */
export function mayBeRead({ files }: SessionSource): boolean {
  try {
    for (const { path } of files) accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // Gone or not accessible.
  }
}

interface Opened {
  database: IndexDatabase;
  /** Identity of the file: it may be removed and recreated. */
  ino: number;
  version: number;
  index: SearchIndex;
}

/** Opened on first use; its lists are reloaded only after a write. */
export class IndexConnection {
  readonly path: string;
  #opened: Opened | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Runs `use` on a snapshot of the index, or without one if the index is missing, unusable or fails during the query. */
  ask<T>(without: boolean, use: (index: SearchIndex | undefined) => T): T {
    if (!without) {
      try {
        const opened = this.#open();
        if (opened) return opened.database.snapshot(() => use(this.#current(opened)));
      } catch {
        // Damaged or locked permanently. The next builder sets a damaged file aside.
        this.close();
      }
    }
    return use(undefined);
  }

  #open(): Opened | undefined {
    const ino = statSync(this.path, { throwIfNoEntry: false })?.ino;
    if (this.#opened && this.#opened.ino !== ino) this.close();
    if (this.#opened || ino === undefined) return this.#opened;
    const database = IndexDatabase.openExisting(this.path, SEARCH_TABLES);
    if (database === undefined) return undefined;
    this.#opened = database.snapshot(() => {
      const index = new SearchIndex(database);
      return { database, ino, version: database.dataVersion, index };
    });
    return this.#opened;
  }

  #current(opened: Opened): SearchIndex {
    const version = opened.database.dataVersion;
    if (version !== opened.version) {
      opened.index = new SearchIndex(opened.database);
      opened.version = version;
    }
    return opened.index;
  }

  close(): void {
    try {
      this.#opened?.database.close();
    } catch {
      // Failure is harmless here.
    }
    this.#opened = undefined;
  }
}
