/** Questions to the index: which sessions it knows, and in how many of their passages words stand. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexDatabase } from "../index-db/database.ts";
import { TITLE_WEIGHT } from "./matcher.ts";
import type { Sequence } from "./query.ts";
import type { SearchFacts } from "./session-fields.ts";
import { signatureOf } from "./signature.ts";
import { WordSegments, type RowRange } from "./word-segments.ts";

export interface IndexedSession {
  /** Place in the lists this class gives. */
  number: number;
  agent: string;
  sessionId: string;
  signature: string;
  createdMs: number;
  updatedMs: number;
  /** Positions in the document. */
  length: number;
  family: string[];
  /** False when its files hold no conversation. */
  hasConversation: boolean;
  /** Sessions in whose files its conversation begins. */
  origins: string[];
  /** Whether its files hold titles of other sessions. */
  hasTitles: boolean;
  /** In which its words stand, the title's among them. */
  rows: RowRange;
}

const COLUMNS = [
  "agent",
  "session",
  "signature",
  "created_ms",
  "updated_ms",
  "length",
  "family",
  "head IS NOT NULL",
  "origins",
  "titles IS NOT NULL",
  "title_row",
  "first_row",
  "rows",
];
type Columns = [
  ...strings: [agent: string, session: string, signature: string],
  ...figures: [createdMs: number, updatedMs: number, length: number],
  ...more: [family: string, hasConversation: number, origins: string | null, hasTitles: number],
  ...rows: [title: number, first: number, count: number],
];

/** Valid for one state of the database; asked inside its snapshot. */
export class SearchIndex {
  readonly #database: IndexDatabase;
  readonly #byKey = new Map<string, IndexedSession>();
  readonly sessions: IndexedSession[] = [];
  readonly #words: WordSegments;
  /** By row: the session's number plus one, negative for a title. */
  readonly #owners: Int32Array;
  #facts: SearchFacts[] | undefined;
  #sharedFamilies: (readonly string[])[] | undefined;
  /** By session, those that were asked for. */
  readonly #heads = new Map<number, SessionHead>();

  constructor(database: IndexDatabase) {
    this.#database = database;
    this.#words = new WordSegments(database);
    const rows = database.table("FROM search_session", COLUMNS) as Columns[];
    const last = rows.reduce((most, row) => Math.max(most, row[10], row[11] + row[12]), 0);
    this.#owners = new Int32Array(last + 1);
    for (const [number, row] of rows.entries()) this.#add(number, row);
  }

  #add(number: number, row: Columns): void {
    const [agent, sessionId, signature, createdMs, updatedMs, length, family] = row;
    const [, , , , , , , hasConversation, origins, hasTitles, title, first, count] = row;
    const session: IndexedSession = {
      number,
      agent,
      sessionId,
      signature,
      createdMs,
      updatedMs,
      length,
      family: JSON.parse(family) as string[],
      hasConversation: hasConversation === 1,
      origins: origins === null ? [] : (JSON.parse(origins) as string[]),
      hasTitles: hasTitles === 1,
      rows: { first: Math.min(title, first), last: Math.max(title, first + count - 1) },
    };
    this.sessions.push(session);
    this.#byKey.set(keyOf(agent, sessionId), session);
    this.#owners[title] = -(number + 1);
    this.#owners.fill(number + 1, first, first + count);
  }

  find(agent: string, sessionId: string): IndexedSession | undefined {
    return this.#byKey.get(keyOf(agent, sessionId));
  }

  /** The session if the index knows it as its files are now. */
  current(catalog: Catalog, source: SessionSource): IndexedSession | undefined {
    const session = this.find(catalog.adapter.name, source.sessionId);
    if (session === undefined) return undefined;
    const origins = session.origins.map((id) => catalog.source(id));
    return session.signature === signatureOf([source, ...origins]) ? session : undefined;
  }

  /** Of the keys by which copies are known, those that another session in the index has, too: mostly none. */
  sharedFamily({ number }: IndexedSession): readonly string[] {
    this.#sharedFamilies ??= this.#findSharedFamilies();
    return this.#sharedFamilies[number]!;
  }

  #findSharedFamilies(): (readonly string[])[] {
    const sizes = this.#countFamilies();
    return this.sessions.map(({ agent, family }) => {
      const shared = family.filter((key) => sizes.get(agent)!.get(key)! > 1);
      return shared.length > 0 ? shared : NO_KEYS;
    });
  }

  /** By agent and key: how many sessions have it. */
  #countFamilies(): Map<string, Map<string, number>> {
    const byAgent = new Map<string, Map<string, number>>();
    for (const { agent, family } of this.sessions) {
      let sizes = byAgent.get(agent);
      if (sizes === undefined) byAgent.set(agent, (sizes = new Map()));
      for (const key of new Set(family)) sizes.set(key, (sizes.get(key) ?? 0) + 1);
    }
    return byAgent;
  }

  /** Titles that sessions of this agent hold for others, by their keys. */
  titlesForOthers(agent: string): Map<string, string> {
    const titles = new Map<string, string>();
    for (const row of this.#database.all(
      "SELECT titles FROM search_session WHERE agent = ? AND titles IS NOT NULL",
      agent,
    )) {
      for (const [key, title] of Object.entries(JSON.parse(String(row["titles"])) as Record<string, string>))
        titles.set(key, title);
    }
    return titles;
  }

  /** Undefined when the session was taken in anew since this state of the index. */
  head(session: IndexedSession): SessionHead | undefined {
    let head = this.#heads.get(session.number);
    if (head === undefined && (head = this.#loadHead(session))) this.#heads.set(session.number, head);
    return head;
  }

  #loadHead({ agent, sessionId, signature }: IndexedSession): SessionHead | undefined {
    const sql = "SELECT head FROM search_session WHERE agent = ? AND session = ? AND signature = ?";
    const head = this.#database.get(sql, agent, sessionId, signature)?.["head"];
    return typeof head === "string" ? (JSON.parse(head) as SessionHead) : undefined;
  }

  /** On one line, as it is searched. */
  title(agent: string, sessionId: string): string | undefined {
    const session = this.find(agent, sessionId);
    return session && oneLine(this.head(session)?.title ?? "");
  }

  /** By session: what fields ask about. */
  facts(): SearchFacts[] {
    this.#facts ??= this.#loadFacts();
    return this.#facts;
  }

  #loadFacts(): SearchFacts[] {
    const columns = ["agent", "session", ...["title", "cwd", "branch"].map((name) => `head ->> '${name}'`), "models"];
    const rows = this.#database.table("FROM search_session", columns);
    const facts: SearchFacts[] = [];
    for (const [agent, sessionId, title, cwd, branch, models] of rows as (string | null)[][]) {
      const { number, createdMs, updatedMs } = this.find(agent!, sessionId!)!;
      facts[number] = {
        agent: agent!,
        title: oneLine(title ?? ""),
        cwd: cwd ?? undefined,
        branch: branch ?? undefined,
        createdMs,
        updatedMs,
        models: JSON.parse(models!) as string[],
      };
    }
    return facts;
  }

  /** Passages in which all the words stand, the title by its weight; of these rows, or of all. */
  passages({ steps, prefix }: Sequence, rows?: RowRange): Passages {
    const counts = new Int32Array(this.sessions.length);
    const sessions: number[] = [];
    const owners = this.#owners;
    const count = (row: number): void => {
      const owner = owners[row] ?? 0;
      if (owner === 0) return;
      const session = owner > 0 ? owner - 1 : -owner - 1;
      if (counts[session] === 0) sessions.push(session);
      counts[session]! += owner > 0 ? 1 : TITLE_WEIGHT;
    };
    const last = steps.length - 1;
    if (last === 0 && !prefix) {
      this.#words.eachRow(steps[0]!, false, rows, count);
      return { counts, sessions };
    }
    /** By row: how many of the steps it holds, as long as it holds all up to there. */
    const held = new Uint8Array(owners.length);
    for (const [step, word] of steps.entries()) {
      this.#words.eachRow(word, prefix && step === last, rows, (row) => {
        if (held[row] !== step) return;
        held[row] = step + 1;
        if (step === last) count(row);
      });
    }
    return { counts, sessions };
  }

  /** The rows of these sessions, if they lie together. */
  rowsOf(sessions: readonly IndexedSession[]): RowRange | undefined {
    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    let count = 0;
    for (const { rows } of sessions) {
      first = Math.min(first, rows.first);
      last = Math.max(last, rows.last);
      count += rows.last - rows.first + 1;
    }
    return last - first < MAX_SPREAD * count ? { first, last } : undefined;
  }
}

const NO_KEYS: readonly string[] = [];

export interface Passages {
  /** By session. */
  counts: Int32Array;
  /** Those with any. */
  sessions: number[];
}

/** Rows of others between those wanted, for each of them. */
const MAX_SPREAD = 4;

function keyOf(agent: string, sessionId: string): string {
  return `${agent}:${sessionId}`;
}
