/**
 * The words of the index: segments, each of which was gathered in one go and holds the words of a range of rows in sorted
 * blocks. Rows are never numbered anew, so what is no longer owned by a session is passed over, and left out when segments
 * are merged.
 */
import type { IndexDatabase } from "../index-db/database.ts";
import { BlockReader, eachRow } from "./word-block.ts";
import type { WordGatherer } from "./word-gatherer.ts";

export interface RowRange {
  first: number;
  last: number;
}

interface Segment extends RowRange {
  bytes: number;
}

/** The first row of a segment is its name. */
const EXACT = "SELECT data FROM search_block WHERE segment = ? AND first <= ? ORDER BY first DESC LIMIT 1";
const BEGINNING = `
  SELECT data FROM search_block
  WHERE segment = ?1 AND first < ?3
    AND first >= coalesce((SELECT max(first) FROM search_block WHERE segment = ?1 AND first <= ?2), x'')
  ORDER BY first`;

export class WordSegments {
  readonly #database: IndexDatabase;
  readonly #segments: readonly Segment[];

  /** Valid for one state of the database. */
  constructor(database: IndexDatabase) {
    this.#database = database;
    this.#segments = segmentsOf(database);
  }

  /** By segment: blocks in which the word can be, or words that begin so. */
  *blocksOf(wanted: Buffer, isPrefix: boolean): Generator<Uint8Array[]> {
    for (const { first } of this.#segments) yield this.#blocks(first, wanted, isPrefix);
  }

  #blocks(segment: number, wanted: Buffer, isPrefix: boolean): Uint8Array[] {
    if (!isPrefix) {
      const row = this.#database.get(EXACT, segment, wanted);
      return row === undefined ? [] : [row["data"] as Uint8Array];
    }
    const rows = this.#database.all(BEGINNING, segment, wanted, Buffer.concat([wanted, BEYOND_UTF8]));
    return rows.map((row) => row["data"] as Uint8Array);
  }
}

const BEYOND_UTF8 = Buffer.from([0xff]);

function segmentsOf(database: IndexDatabase): Segment[] {
  const rows = database.all("SELECT first_row, last_row, bytes FROM search_segment ORDER BY first_row");
  return rows.map((row) => ({
    first: Number(row["first_row"]),
    last: Number(row["last_row"]),
    bytes: Number(row["bytes"]),
  }));
}

/** The first row that was never used. */
export function nextRow(database: IndexDatabase): number {
  return Number(database.get("SELECT max(last_row) AS last FROM search_segment")?.["last"] ?? 0) + 1;
}

/** Writes what was gathered for these rows, and forgets it. */
export function writeSegment(database: IndexDatabase, gatherer: WordGatherer, { first, last }: RowRange): void {
  let bytes = 0;
  for (const block of gatherer.blocks()) {
    const reader = new BlockReader(block);
    reader.next();
    // Copies: the memory they lie in moves.
    database.run(
      "INSERT INTO search_block (segment, first, data) VALUES (?, ?, ?)",
      first,
      Buffer.from(block.subarray(reader.start, reader.end)),
      Buffer.from(block),
    );
    bytes += block.length;
  }
  database.run("INSERT INTO search_segment (first_row, last_row, bytes) VALUES (?, ?, ?)", first, last, bytes);
  gatherer.clear();
}

/** Every search that fills the index may leave a small segment; as many as this are made into one. */
const MOST_SMALL = 8;
/** Larger ones are left as they are. */
const SMALL_BYTES = 1024 * 1024;

/** Merges the newest segments if there are too many small ones. Inside a transaction. */
export function mergeSmall(database: IndexDatabase, gatherer: WordGatherer, isOwned: (row: number) => boolean): void {
  const segments = segmentsOf(database);
  const small = segments.slice(segments.findLastIndex(({ bytes }) => bytes > SMALL_BYTES) + 1);
  if (small.length < MOST_SMALL) return;
  for (const { first } of small) {
    const rows = database.all("SELECT data FROM search_block WHERE segment = ? ORDER BY first", first);
    for (const row of rows) addBlock(row["data"] as Uint8Array, gatherer, isOwned);
    database.run("DELETE FROM search_block WHERE segment = ?", first);
    database.run("DELETE FROM search_segment WHERE first_row = ?", first);
  }
  writeSegment(database, gatherer, { first: small[0]!.first, last: small.at(-1)!.last });
}

function addBlock(data: Uint8Array, gatherer: WordGatherer, isOwned: (row: number) => boolean): void {
  const reader = new BlockReader(data);
  const word = Buffer.alloc(MOST_WORD_BYTES);
  while (reader.next()) {
    word.set(data.subarray(reader.start, reader.end), reader.shared);
    const length = reader.shared + reader.end - reader.start;
    eachRow(data, reader.rowsStart, reader.rowsEnd, (row) => {
      if (isOwned(row)) gatherer.addWord(row, word, length);
    });
  }
}

/** Units of a word, with three bytes for each. */
const MOST_WORD_BYTES = 1024;
