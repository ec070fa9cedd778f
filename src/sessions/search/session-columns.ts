/**
 * The figures of all sessions in the index that every question needs, in columns: by number, which is the order of their
 * ids. Kept ready in the database after a build, as making them takes longer than most questions.
 */
import type { IndexDatabase } from "../index-db/database.ts";

export const HAS_CONVERSATION = 1;
export const HAS_TITLES = 2;

export interface SessionColumns {
  /** Names, by the numbers in `agent`. */
  agents: readonly string[];
  ids: Int32Array;
  agent: Uint8Array;
  created: Float64Array;
  updated: Float64Array;
  /** Positions in the document. */
  length: Int32Array;
  flags: Uint8Array;
  /** All sessions, the newest first. */
  newest: Int32Array;
  /** By row: the session's number plus one, negative for a title; 0 for nobody. */
  owners: Int32Array;
  /** By row: the row its passage begins with; mostly itself. */
  passages: Int32Array;
  /** Where a session's keys begin in `keys`; one more than sessions. */
  keyStarts: Int32Array;
  /** By which copies are known: only those that several sessions of an agent share, as numbers. */
  keys: Int32Array;
}

type Column = Exclude<keyof SessionColumns, "agents">;
const KINDS = {
  ids: Int32Array,
  agent: Uint8Array,
  created: Float64Array,
  updated: Float64Array,
  length: Int32Array,
  flags: Uint8Array,
  newest: Int32Array,
  owners: Int32Array,
  passages: Int32Array,
  keyStarts: Int32Array,
  keys: Int32Array,
} satisfies Record<Column, unknown>;
const AGENTS = "agents";

export function loadColumns(database: IndexDatabase): SessionColumns {
  return keptColumns(database) ?? columnsOf(database);
}

function keptColumns(database: IndexDatabase): SessionColumns | undefined {
  const kept = new Map(
    database.all("SELECT name, data FROM search_column").map((row) => [String(row["name"]), row["data"] as Uint8Array]),
  );
  const agents = kept.get(AGENTS);
  if (agents === undefined) return undefined;
  const columns: Record<string, unknown> = { agents: JSON.parse(Buffer.from(agents).toString("utf8")) };
  for (const [name, Kind] of Object.entries(KINDS)) {
    const data = kept.get(name);
    if (data === undefined) return undefined;
    // Where the binding put it need not suit numbers of eight bytes.
    const bytes = data.byteOffset % 8 === 0 ? data : data.slice();
    columns[name] = new Kind(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / Kind.BYTES_PER_ELEMENT);
  }
  return columns as unknown as SessionColumns;
}

/** In the transaction of whoever changes sessions, before it does: what is kept is of another state. */
export function forgetColumns(database: IndexDatabase): void {
  database.run("DELETE FROM search_column");
}

export function keepColumns(database: IndexDatabase): void {
  const { agents, ...columns } = columnsOf(database);
  const insert = (name: string, data: Uint8Array): void =>
    database.run("INSERT OR REPLACE INTO search_column (name, data) VALUES (?, ?)", name, data);
  insert(AGENTS, Buffer.from(JSON.stringify(agents)));
  for (const [name, { buffer, byteOffset, byteLength }] of Object.entries(columns))
    insert(name, new Uint8Array(buffer, byteOffset, byteLength));
}

const SELECTED = [
  "id",
  "agent",
  "created_ms",
  "updated_ms",
  "length",
  "head IS NOT NULL",
  "titles IS NOT NULL",
  "title_row",
  "first_row",
  "rows",
  "more_rows",
  "family",
];
type Selected = [
  ...whose: [id: number, agent: string],
  ...figures: [created: number, updated: number, length: number, hasConversation: number, hasTitles: number],
  ...rows: [title: number, first: number, count: number, more: string | null],
  family: string,
];

/**
 * What became of a session's rows, step by step: some were added; the first of these belongs to the passage of another, if
 * there is one; and those that were made for the same text before are void.
 */
export type MoreRows = { first: number; count: number; passage: number; void?: [first: number, last: number] }[];

function columnsOf(database: IndexDatabase): SessionColumns {
  const rows = database.table("FROM (SELECT * FROM search_session ORDER BY id)", SELECTED) as Selected[];
  const agents = [...new Set(rows.map((row) => row[1]))];
  const updated = Float64Array.from(rows, (row) => row[3]);
  return {
    agents,
    ids: Int32Array.from(rows, (row) => row[0]),
    agent: Uint8Array.from(rows, (row) => agents.indexOf(row[1])),
    created: Float64Array.from(rows, (row) => row[2]),
    updated,
    length: Int32Array.from(rows, (row) => row[4]),
    flags: Uint8Array.from(rows, (row) => (row[5] ? HAS_CONVERSATION : 0) | (row[6] ? HAS_TITLES : 0)),
    newest: Int32Array.from(rows.keys()).sort((a, b) => updated[b]! - updated[a]!),
    ...ownersOf(rows),
    ...sharedKeys(rows),
  };
}

function ownersOf(rows: readonly Selected[]): Pick<SessionColumns, "owners" | "passages"> {
  const more = rows.map((row) => (row[10] === null ? [] : (JSON.parse(row[10]) as MoreRows)));
  let last = 0;
  for (const [number, row] of rows.entries()) {
    last = Math.max(last, row[7], row[8] + row[9], ...more[number]!.map(({ first, count }) => first + count));
  }
  const owners = new Int32Array(last + 1);
  const passages = Int32Array.from({ length: last + 1 }, (_, row) => row);
  for (const [number, [, , , , , , , title, first, count]] of rows.entries()) {
    owners[title] = -(number + 1);
    owners.fill(number + 1, first, first + count);
    for (const added of more[number]!) {
      if (added.void) owners.fill(0, added.void[0], added.void[1] + 1);
      owners.fill(number + 1, added.first, added.first + added.count);
      if (added.passage > 0) passages[added.first] = passages[added.passage]!;
    }
  }
  return { owners, passages };
}

function sharedKeys(rows: readonly Selected[]): Pick<SessionColumns, "keyStarts" | "keys"> {
  const families = rows.map((row) => [...new Set(JSON.parse(row[11]) as string[])].map((key) => `${row[1]} ${key}`));
  const sizes = new Map<string, number>();
  for (const key of families.flat()) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const numbers = new Map<string, number>();
  const keys: number[] = [];
  const keyStarts = new Int32Array(rows.length + 1);
  for (const [number, family] of families.entries()) {
    for (const key of family) {
      if (sizes.get(key) === 1) continue;
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      keys.push(numbers.get(key)!);
    }
    keyStarts[number + 1] = keys.length;
  }
  return { keyStarts, keys: Int32Array.from(keys) };
}
