/**
 * Forks at a message: a new rollout, as `codex fork` writes it. Since 2026 such a file only refers to the records of the other;
 * older threads are copied.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ForkAt } from "../adapter.ts";
import type { Json } from "../../lib/json/fields.ts";
import { ANSWER_EVENTS, copyingHeader, headerOf, KIND, referringHeader, TURN_OPENINGS, WORLD_STATE } from "./format.ts";
import type { RolloutRecord } from "./rollout-record.ts";
import { sessionsDirectory } from "./locations.ts";
import type { Piece } from "./thread-pieces.ts";
import type { ThreadScan } from "./thread-scan.ts";
import { entriesOf, recordsIn, type Entry } from "./thread-stream.ts";
import { isReplyPart, Transcript, type Placed } from "./transcript.ts";

export const forkAt: ForkAt = {
  newId: () => uuidOfNow(),
  place(_source, { id, at }, env) {
    const two = (value: number): string => String(value).padStart(2, "0");
    const day = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())];
    const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join("-");
    return join(sessionsDirectory(env), ...day, `rollout-${day.join("-")}T${time}-${id}.jsonl`);
  },
  open: ({ id }) => ["codex", "resume", id],
};

/** Undefined for packed threads and for those of the first versions, which the current one does not open. */
export function copyUpTo(
  pieces: readonly Piece[],
  scan: ThreadScan,
  last: number,
  copy: { id: string; at: Date },
): Iterable<string> | undefined {
  if (pieces.some(({ file }) => file.document || file.compressed)) return undefined;
  const meta = metaOf(pieces.at(-1)!);
  if (meta === undefined) return undefined;
  const end = endOf(pieces, scan, last);
  return headerOf(meta).isPaginated
    ? [referring(meta, placeOf(pieces, end), copy)]
    : copied(pieces, scan, end, meta, copy);
}

function metaOf(piece: Piece): Json | undefined {
  for (const { record } of recordsIn(piece)) {
    return record.type === KIND.header && !record.bare ? record.payload : undefined;
  }
  return undefined;
}

/** A fork without records of its own. */
function referring(meta: Json, { piece, offset, ordinal }: Place, { id, at }: { id: string; at: Date }): string {
  const { threadId, rolloutId } = piece.file;
  return line(referringHeader(meta, id, at.toISOString(), { threadId, rolloutId, ordinal, offset }));
}

/** The own header, the original's, and all messages up to there that were not rewound. */
function* copied(
  pieces: readonly Piece[],
  scan: ThreadScan,
  end: number,
  meta: Json,
  { id, at }: { id: string; at: Date },
): Generator<string> {
  yield line(copyingHeader(meta, id, at.toISOString()));
  for (const entry of entriesOf(pieces)) {
    if (entry.number >= end) return;
    if (scan.isShown(entry) && entry.record.type !== KIND.rolledBack) yield line(entry.record.object);
  }
}

/** The number of the first record that is left out. */
function endOf(pieces: readonly Piece[], scan: ThreadScan, last: number): number {
  const { kept, next } = startsAround(pieces, scan, last);
  if (next === undefined) return Number.POSITIVE_INFINITY;
  const begins = next.message.role === "user" ? beginsTurn : beginsAnything;
  // Items of one answer look like those of the next; the token count lies between them.
  let isOver = kept.message.role !== "assistant" || next.message.role === "user";
  for (const entry of entriesOf(pieces)) {
    if (entry.number <= kept.number || !scan.isShown(entry)) continue;
    if (entry.number >= next.number || (isOver && begins(entry))) return entry.number;
    isOver ||= COUNTS.has(entry.record.type);
  }
  return next.number;
}

/** The first records of a message and of its successor. */
function startsAround(pieces: readonly Piece[], scan: ThreadScan, last: number): { kept: Placed; next?: Placed } {
  let kept: Placed | undefined;
  let count = 0;
  for (const placed of placedIn(pieces, scan)) {
    if (count > last) return { kept: kept!, next: placed };
    kept = placed;
    count++;
  }
  return { kept: kept! };
}

function* placedIn(pieces: readonly Piece[], scan: ThreadScan): Generator<Placed> {
  const transcript = new Transcript(scan.prompts);
  for (const entry of entriesOf(pieces)) if (scan.isShown(entry)) yield* transcript.take(entry);
  yield* transcript.release();
}

const TURNS: ReadonlySet<string> = new Set([...TURN_OPENINGS, WORLD_STATE]);
const COUNTS: ReadonlySet<string> = new Set([KIND.usage, KIND.tokenCount, KIND.taskComplete]);

function beginsTurn({ record }: Entry): boolean {
  return TURNS.has(record.type) || (record.type === KIND.message && record.role !== "assistant");
}

function beginsAnything(entry: Entry): boolean {
  return beginsTurn(entry) || isReplyPart(entry) || ANSWER_EVENTS.has(entry.record.type);
}

interface Place {
  piece: Piece;
  offset: number;
  ordinal: number;
}

/** The offset of a record; the end of the file for a number beyond the last. */
function placeOf(pieces: readonly Piece[], number: number): Place {
  let seen = 0;
  let lastOrdinal = -1;
  for (const piece of pieces) {
    for (const { record, offset } of recordsIn(piece)) {
      if (seen++ === number) return { piece, offset, ordinal: record.ordinal ?? lastOrdinal + 1 };
      lastOrdinal = ordinalOf(record, lastOrdinal);
    }
  }
  const piece = pieces.at(-1)!;
  return { piece, offset: statSync(piece.file.path).size, ordinal: lastOrdinal + 1 };
}

function ordinalOf({ ordinal }: RolloutRecord, before: number): number {
  return ordinal ?? before + 1;
}

function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

/** Version 7: its time distinguishes a thread from its copies. */
function uuidOfNow(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(10)));
  random[0] = (random[0]! & 0x0f) | 0x70;
  random[2] = (random[2]! & 0x3f) | 0x80;
  const rest = random.toString("hex");
  return [time.slice(0, 8), time.slice(8), rest.slice(0, 4), rest.slice(4, 8), rest.slice(8)].join("-");
}
