/** Questions to the index: which sessions it knows, and in how many of their passages words stand. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexDatabase, Row } from "../index-db/database.ts";
import { TITLE_PASSAGE } from "./indexed-text.ts";
import { messageMapOf, type MessageMap } from "./message-map.ts";
import type { Sequence } from "./query.ts";
import { TITLE_WEIGHT } from "./rank.ts";
import type { SearchFacts } from "./session-fields.ts";
import { signatureOf } from "./signature.ts";

export interface IndexedSession {
  /** Place among those of the index. */
  number: number;
  agent: string;
  sessionId: string;
  signature: string;
  /** Sessions in whose files its conversation begins. */
  origins: string[];
  /** Whether its files hold titles of other sessions. */
  hasTitles: boolean;
}

/** Figures of all sessions that every question needs, by number, which is the order of their ids. */
export interface SessionColumns {
  /** Names, by the numbers in `agent`. */
  agents: readonly string[];
  ids: number[];
  agent: number[];
  sessionIds: string[];
  created: number[];
  updated: number[];
  /** Positions in the document. */
  length: number[];
  hasConversation: boolean[];
  hasTitles: boolean[];
}

const COLUMNS = [
  "id",
  "agent",
  "session",
  "created_ms",
  "updated_ms",
  "length",
  "head IS NOT NULL",
  "titles IS NOT NULL",
];
type ColumnRow = [
  ...whose: [id: number, agent: string, session: string],
  ...figures: [created: number, updated: number, length: number, hasConversation: number, hasTitles: number],
];
type Named = [agent: string, session: string, signature: string, origins: string | null];

const ALL = "FROM (SELECT * FROM search_session ORDER BY id)";

/** Words whose counts are held; each takes four bytes for every session. */
const MOST_COUNTED = 32;

/** Passages of one session are fewer. */
const MOST_PASSAGES = 2 ** 24;

/** Valid for one state of the database; asked inside its snapshot, unless it says otherwise. */
export class SearchIndex {
  readonly database: IndexDatabase;
  readonly columns: SessionColumns;
  #numbers: Map<number, number> | undefined;
  #names: Names | undefined;
  #facts: SearchFacts[] | undefined;
  /** Of words that were asked for lately: who types a question, or turns its pages, asks for the same ones again. */
  readonly #counted = new Map<string, Int32Array>();

  constructor(database: IndexDatabase) {
    this.database = database;
    this.columns = loadColumns(database);
  }

  get size(): number {
    return this.columns.ids.length;
  }

  /** Names and signatures of all, for whoever compares them with what is on disk. */
  get sessions(): readonly IndexedSession[] {
    return this.#named().sessions;
  }

  find(agent: string, sessionId: string): IndexedSession | undefined {
    return this.#named().byKey.get(keyOf(agent, sessionId));
  }

  #named(): Names {
    this.#names ??= this.#loadNames();
    return this.#names;
  }

  #loadNames(): Names {
    const rows = this.database.table(ALL, ["agent", "session", "signature", "origins"]) as Named[];
    const byKey = new Map<string, IndexedSession>();
    const sessions = rows.map(([agent, sessionId, signature, named], number) => {
      const origins = named === null ? [] : (JSON.parse(named) as string[]);
      const session = { number, agent, sessionId, signature, origins, hasTitles: this.columns.hasTitles[number]! };
      byKey.set(keyOf(agent, sessionId), session);
      return session;
    });
    return { sessions, byKey };
  }

  agentOf(number: number): string {
    return this.columns.agents[this.columns.agent[number]!]!;
  }

  /** The session if the index knows it as its files are now. */
  current(catalog: Catalog, source: SessionSource): IndexedSession | undefined {
    const session = this.find(catalog.adapter.name, source.sessionId);
    if (session === undefined) return undefined;
    return session.signature === this.signatureNow(session, catalog, source) ? session : undefined;
  }

  /** What it would be known by. */
  signatureNow({ origins }: IndexedSession, catalog: Catalog, source: SessionSource): string {
    return signatureOf([source, ...origins.map((id) => catalog.source(id))]);
  }

  /** Keys that copies share, by number. */
  families(numbers: readonly number[]): Map<number, string[]> {
    const ids = JSON.stringify(numbers.map((number) => this.columns.ids[number]));
    const rows = this.database.table(
      "FROM search_session WHERE id IN (SELECT value FROM json_each(?))",
      ["id", "json(family)"],
      ids,
    ) as [number, string[]][];
    return new Map(rows.map(([id, family]) => [this.#numberOf(id), family]));
  }

  /** Titles that sessions of this agent hold for others, by their keys. */
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

  /** Where a session lay when it was taken in. */
  source(number: number): SessionSource {
    const row = this.database.get("SELECT source FROM search_session WHERE id = ?", this.columns.ids[number]!);
    return JSON.parse(String(row!["source"])) as SessionSource;
  }

  /**
   * What is shown of a session; may be asked at any time. Undefined when it was taken in anew, or out, since this state of
   * the index, or when the index cannot be asked any more: then its files have to be read.
   */
  shown(number: number): ShownSession | undefined {
    let row: Row | undefined;
    try {
      const id = this.columns.ids[number]!;
      row = this.database.get("SELECT head, source, map FROM search_session WHERE id = ?", id);
    } catch {
      // Closed since, or damaged.
    }
    if (row === undefined) return undefined;
    return {
      head: row["head"] === null ? undefined : (JSON.parse(String(row["head"])) as SessionHead),
      source: JSON.parse(String(row["source"])) as SessionSource,
      map: row["map"] === null ? undefined : messageMapOf(row["map"] as Uint8Array),
    };
  }

  /** By session: what fields ask about. */
  facts(): SearchFacts[] {
    this.#facts ??= this.#loadFacts();
    return this.#facts;
  }

  #loadFacts(): SearchFacts[] {
    const columns = ["agent", ...["title", "cwd", "branch"].map((name) => `head ->> '${name}'`), "models"];
    return (this.database.table(ALL, columns) as (string | null)[][]).map(
      ([agent, title, cwd, branch, models], number) => ({
        agent: agent!,
        title: oneLine(title ?? ""),
        cwd: cwd ?? undefined,
        branch: branch ?? undefined,
        createdMs: this.columns.created[number]!,
        updatedMs: this.columns.updated[number]!,
        models: JSON.parse(models!) as string[],
      }),
    );
  }

  /** By session: in how many passages all the words stand, the title by its weight. Not to be changed. */
  passages(sequence: Sequence): Int32Array {
    const key = `${sequence.prefix ? "*" : ""}${sequence.steps.join(" ")}`;
    const known = this.#counted.get(key);
    const counts = known ?? this.#count(sequence);
    // The last one asked for stands last.
    if (known) this.#counted.delete(key);
    else if (this.#counted.size === MOST_COUNTED) this.#counted.delete(this.#counted.keys().next().value!);
    this.#counted.set(key, counts);
    return counts;
  }

  #count({ steps, prefix }: Sequence): Int32Array {
    let held: Set<number> | undefined;
    for (const [step, word] of steps.entries()) {
      const passages = this.#passagesWith(word, prefix && step === steps.length - 1);
      held = held === undefined ? passages : new Set([...passages].filter((passage) => held!.has(passage)));
    }
    const counts = new Int32Array(this.size);
    for (const passage of held ?? []) {
      const number = this.#numberOf(Math.floor(passage / MOST_PASSAGES));
      counts[number]! += passage % MOST_PASSAGES === TITLE_PASSAGE ? TITLE_WEIGHT : 1;
    }
    return counts;
  }

  /** Passages of sessions, by one number for both. */
  #passagesWith(word: string, isPrefix: boolean): Set<number> {
    const rows = this.database.table(
      "FROM search_words JOIN search_passage ON row = search_words.rowid WHERE search_words MATCH ?",
      ["session", "passage"],
      `"${word}"${isPrefix ? "*" : ""}`,
    ) as [session: number, passage: number][];
    return new Set(rows.map(([session, passage]) => session * MOST_PASSAGES + passage));
  }

  #numberOf(id: number): number {
    this.#numbers ??= new Map(this.columns.ids.map((each, number) => [each, number]));
    return this.#numbers.get(id)!;
  }
}

function loadColumns(database: IndexDatabase): SessionColumns {
  const rows = database.table(ALL, COLUMNS) as ColumnRow[];
  const agents = [...new Set(rows.map((row) => row[1]))];
  return {
    agents,
    ids: rows.map((row) => row[0]),
    agent: rows.map((row) => agents.indexOf(row[1])),
    sessionIds: rows.map((row) => row[2]),
    created: rows.map((row) => row[3]),
    updated: rows.map((row) => row[4]),
    length: rows.map((row) => row[5]),
    hasConversation: rows.map((row) => row[6] === 1),
    hasTitles: rows.map((row) => row[7] === 1),
  };
}

interface Names {
  sessions: IndexedSession[];
  byKey: Map<string, IndexedSession>;
}

export interface ShownSession {
  /** Undefined: its files hold no conversation. */
  head: SessionHead | undefined;
  source: SessionSource;
  /** Where its messages lie, if that is known. */
  map: MessageMap | undefined;
}

function keyOf(agent: string, sessionId: string): string {
  return `${agent}:${sessionId}`;
}
