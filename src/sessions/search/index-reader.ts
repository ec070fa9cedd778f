/** Questions to the index: which sessions it knows, and in how many of their passages words stand. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexDatabase, Row } from "../index-db/database.ts";
import { Kin } from "./kin.ts";
import { messageMapOf, type MessageMap } from "./message-map.ts";
import type { Sequence } from "./query.ts";
import { Ranking } from "./ranking.ts";
import { HAS_TITLES, loadColumns, type SessionColumns } from "./session-columns.ts";
import type { SearchFacts } from "./session-fields.ts";
import { signatureOf } from "./signature.ts";
import { WordSegments } from "./word-segments.ts";

export interface IndexedSession {
  /** Place in the columns. */
  number: number;
  agent: string;
  sessionId: string;
  signature: string;
  /** Sessions in whose files its conversation begins. */
  origins: string[];
  /** Whether its files hold titles of other sessions. */
  hasTitles: boolean;
}

/** Words whose counts are held; each takes four bytes for every session. */
const MOST_COUNTED = 32;

type PreparedHead = [id: number, session: string, head: SessionHead | null];
type PreparedRest = [source: SessionSource, family: string[], map: string];
type Named = [agent: string, session: string, signature: string, origins: string | null];

/** Valid for one state of the database; asked inside its snapshot. */
export class SearchIndex {
  readonly database: IndexDatabase;
  readonly columns: SessionColumns;
  readonly #words: WordSegments;
  #names: Names | undefined;
  #facts: SearchFacts[] | undefined;
  #kin: Kin | undefined;
  #ranking: Ranking | undefined;
  /** Of words that were asked for lately: who types a question, or turns its pages, asks for the same ones again. */
  readonly #counted = new Map<string, Int32Array>();
  /** By number, those that were asked for. */
  readonly #shown = new Map<number, ShownSession>();
  /** By number, those that were prepared and not asked for yet, as they are kept. */
  readonly #maps = new Map<number, Uint8Array | undefined>();

  constructor(database: IndexDatabase) {
    this.database = database;
    this.#words = new WordSegments(database);
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
    const columns = ["agent", "session", "signature", "origins"];
    const rows = this.database.table("FROM (SELECT * FROM search_session ORDER BY id)", columns) as Named[];
    const byKey = new Map<string, IndexedSession>();
    const sessions = rows.map(([agent, sessionId, signature, named], number) => {
      const origins = named === null ? [] : (JSON.parse(named) as string[]);
      const session = { number, agent, sessionId, signature, origins, hasTitles: this.hasTitles(number) };
      byKey.set(keyOf(agent, sessionId), session);
      return session;
    });
    return { sessions, byKey };
  }

  hasTitles(number: number): boolean {
    return (this.columns.flags[number]! & HAS_TITLES) !== 0;
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

  /** Whether it shares a key with another one. */
  hasKin(number: number): boolean {
    const { keyStarts } = this.columns;
    return keyStarts[number] !== keyStarts[number + 1];
  }

  /** Which sessions may be copies of each other. */
  get kin(): Kin {
    this.#kin ??= new Kin(this.columns);
    return this.#kin;
  }

  /** Keys by which copies are known, as other sessions would have them. */
  family(number: number): string[] {
    return this.shown(number).family;
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

  /** Loads what will be shown of these, and their maps, in one go: one by one takes several times as long. */
  prepare(numbers: readonly number[]): void {
    const byId = new Map<number, number>();
    for (const number of numbers) if (!this.#shown.has(number)) byId.set(this.columns.ids[number]!, number);
    if (byId.size === 0) return;
    let heads: PreparedHead[];
    let others: PreparedRest[];
    try {
      const select = "FROM search_session WHERE id IN (SELECT value FROM json_each(?))";
      // Titles are in all languages; what lies beside heads hardly ever is.
      const parts = [
        ["id", "session", "json(head)"],
        ["json(source)", "json(family)", "hex(map)"],
      ];
      const tables = this.database.tables(select, parts, JSON.stringify([...byId.keys()]));
      [heads, others] = tables as [PreparedHead[], PreparedRest[]];
    } catch {
      // Who asks for one of them is told.
      return;
    }
    for (const [place, [id, sessionId, head]] of heads.entries()) {
      const [source, family, map] = others[place]!;
      const number = byId.get(id)!;
      this.#shown.set(number, { sessionId, head: head ?? undefined, source, family });
      this.#maps.set(number, map === "" ? undefined : Buffer.from(map, "hex"));
    }
  }

  /** What is shown of a session. Throws StaleIndex when it was taken in anew, or out, since this state of the index. */
  shown(number: number): ShownSession {
    let shown = this.#shown.get(number);
    if (shown === undefined) this.#shown.set(number, (shown = this.#loadShown(this.columns.ids[number]!)));
    return shown;
  }

  #loadShown(id: number): ShownSession {
    const row = this.#rowOf("SELECT session, head, source, family FROM search_session WHERE id = ?", id);
    return {
      sessionId: String(row["session"]),
      head: row["head"] === null ? undefined : (JSON.parse(String(row["head"])) as SessionHead),
      source: JSON.parse(String(row["source"])) as SessionSource,
      family: JSON.parse(String(row["family"])) as string[],
    };
  }

  #rowOf(sql: string, id: number): Row {
    let row: Row | undefined;
    try {
      row = this.database.get(sql, id);
    } catch (error) {
      // Closed since, or damaged.
      throw new StaleIndex("The index cannot be asked any more.", { cause: error });
    }
    if (row === undefined) throw new StaleIndex("The index has changed.");
    return row;
  }

  /** Where its messages lie, if that is known. Throws StaleIndex as `shown` does. */
  map(number: number): MessageMap | undefined {
    if (this.#maps.has(number)) {
      const prepared = this.#maps.get(number);
      this.#maps.delete(number);
      return prepared && messageMapOf(prepared);
    }
    const map = this.#rowOf("SELECT map FROM search_session WHERE id = ?", this.columns.ids[number]!)["map"];
    return map === null ? undefined : messageMapOf(map as Uint8Array);
  }

  /** On one line, as it is searched. */
  title(number: number): string {
    return oneLine(this.shown(number).head?.title ?? "");
  }

  /** By session: what fields ask about. */
  facts(): SearchFacts[] {
    this.#facts ??= this.#loadFacts();
    return this.#facts;
  }

  #loadFacts(): SearchFacts[] {
    const columns = ["agent", ...["title", "cwd", "branch"].map((name) => `head ->> '${name}'`), "models"];
    const rows = this.database.table("FROM (SELECT * FROM search_session ORDER BY id)", columns);
    return (rows as (string | null)[][]).map(([agent, title, cwd, branch, models], number) => ({
      agent: agent!,
      title: oneLine(title ?? ""),
      cwd: cwd ?? undefined,
      branch: branch ?? undefined,
      createdMs: this.columns.created[number]!,
      updatedMs: this.columns.updated[number]!,
      models: JSON.parse(models!) as string[],
    }));
  }

  get ranking(): Ranking {
    this.#ranking ??= new Ranking(this.columns);
    return this.#ranking;
  }

  /** By session: in how many passages all the words stand, the title by its weight. Not to be changed. */
  passages(sequence: Sequence): Int32Array {
    const key = `${sequence.prefix ? "*" : ""}${sequence.steps.join(" ")}`;
    const known = this.#counted.get(key);
    const counts = known ?? this.ranking.passages(this.#words, sequence);
    // The last one asked for stands last.
    if (known) this.#counted.delete(key);
    else if (this.#counted.size === MOST_COUNTED) this.#counted.delete(this.#counted.keys().next().value!);
    this.#counted.set(key, counts);
    return counts;
  }
}

/** Somebody else has written since the question was begun: it is to be asked again. */
export class StaleIndex extends Error {}

interface Names {
  sessions: IndexedSession[];
  byKey: Map<string, IndexedSession>;
}

export interface ShownSession {
  sessionId: string;
  /** Undefined: its files hold no conversation. */
  head: SessionHead | undefined;
  source: SessionSource;
  family: string[];
}

function keyOf(agent: string, sessionId: string): string {
  return `${agent}:${sessionId}`;
}
