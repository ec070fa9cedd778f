/** Questions to the index: which sessions it knows, and in how many of their passages words stand. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexDatabase } from "../index-db/database.ts";
import { TITLE_WEIGHT } from "./matcher.ts";
import type { Sequence } from "./query.ts";
import type { SearchFacts } from "./session-fields.ts";
import { signatureOf } from "./signature.ts";

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
  /** In the text table. */
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
  /** By row of the text table: the session's number plus one, negative for a title. */
  readonly #owners: Int32Array;
  #facts: SearchFacts[] | undefined;

  constructor(database: IndexDatabase) {
    this.#database = database;
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
  head({ agent, sessionId, signature }: IndexedSession): SessionHead | undefined {
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

  /** By session: passages in which all the words stand, the title by its weight; of these rows, or of all. */
  passages({ steps, prefix }: Sequence, rows?: RowRange): Int32Array {
    const counts = new Int32Array(this.sessions.length);
    for (const row of this.#rows(matchText(steps, prefix), rows)) {
      const owner = this.#owners[row] ?? 0;
      if (owner > 0) counts[owner - 1]!++;
      else if (owner < 0) counts[-owner - 1]! += TITLE_WEIGHT;
    }
    return counts;
  }

  #rows(match: string, rows: RowRange | undefined): Int32Array {
    const sql = "SELECT group_concat(rowid) AS rows FROM search_text WHERE search_text MATCH ?";
    const row = rows
      ? this.#database.get(`${sql} AND rowid BETWEEN ? AND ?`, match, rows.first, rows.last)
      : this.#database.get(sql, match);
    const list = row?.["rows"];
    return typeof list === "string" ? numbersIn(list) : new Int32Array(0);
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

/** Rows of others between those wanted, for each of them. */
const MAX_SPREAD = 4;

export interface RowRange {
  first: number;
  last: number;
}

function keyOf(agent: string, sessionId: string): string {
  return `${agent}:${sessionId}`;
}

function matchText(steps: readonly string[], prefix: boolean): string {
  return steps.map((step, index) => `"${step}"${prefix && index === steps.length - 1 ? "*" : ""}`).join(" AND ");
}

/** Many rows through the binding one by one would cost ten times as much as one long text of them. */
function numbersIn(list: string): Int32Array {
  const numbers = new Int32Array((list.length >> 1) + 1);
  let count = 0;
  let number = 0;
  for (let at = 0; at < list.length; at++) {
    const unit = list.charCodeAt(at);
    if (unit === COMMA) {
      numbers[count++] = number;
      number = 0;
    } else number = number * 10 + unit - ZERO;
  }
  numbers[count++] = number;
  return numbers.subarray(0, count);
}

const COMMA = 0x2c;
const ZERO = 0x30;
