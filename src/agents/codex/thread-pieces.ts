/**
 * The pieces of a thread's conversation. Since 2026 a fork, and a segment after a rewind, refers to another rollout file up to
 * some record; the own records follow.
 */
import type { Json } from "../../lib/json/fields.ts";
import { readEnds, splitLines } from "../../lib/json/jsonl.ts";
import type { AgentEnv } from "../adapter.ts";
import { BASE_FIELD, historyBase, type HistoryBase } from "./format.ts";
import { findRollout, type RolloutFile } from "./rollout-files.ts";
import { recordsOf } from "./rollout-reader.ts";
import { RolloutRecord } from "./rollout-record.ts";

export interface Piece {
  file: RolloutFile;
  /** Belongs to another thread, which was forked. */
  inherited: boolean;
  /** Refers to another file: written by a version that records every request's usage. */
  continues: boolean;
  /** The referenced file does not exist. */
  lacksBase?: boolean;
  /** Later records are not part of the conversation (rewound, or after the fork). */
  end: { ordinal: number; offset: number };
}

/** A longer chain of forks is a loop or a forgery. */
const MAX_LINKS = 64;
export const UNLIMITED = { ordinal: Number.POSITIVE_INFINITY, offset: Number.POSITIVE_INFINITY };

/** Referenced pieces first, then all own files in order; those that the current segment does not build on show nothing. */
export function piecesOf(rollouts: readonly RolloutFile[], env: AgentEnv): Piece[] {
  const current = rollouts.at(-1)!;
  const threadId = current.threadId;
  const own = new Map(rollouts.map((file) => [file.rolloutId, file]));
  const chain = new Map<string, Piece>();
  let file: RolloutFile | undefined = current;
  let end: Piece["end"] = UNLIMITED;
  while (file !== undefined && !chain.has(file.path) && chain.size < MAX_LINKS) {
    const base = baseOf(file);
    chain.set(file.path, { file, inherited: file.threadId !== threadId, continues: base !== undefined, end });
    file = base && (own.get(base.rolloutId) ?? findRollout(env, base.rolloutId));
    if (base) end = base.end;
  }
  const root = [...chain.values()].at(-1)!;
  if (root.continues) root.lacksBase = true;
  const inherited = [...chain.values()].filter((piece) => piece.inherited).reverse();
  const nothing = { ordinal: 0, offset: 0 };
  return [
    ...inherited,
    ...rollouts.map(
      (file) => chain.get(file.path) ?? { file, inherited: false, continues: file !== rollouts[0], end: nothing },
    ),
  ];
}

/** Headers contain all instructions, and most refer to no other file, so they are not parsed. */
function baseOf(file: RolloutFile): HistoryBase | undefined {
  if (file.document) return undefined;
  if (file.compressed) return historyBase(headerOf(file));
  try {
    const { head } = readEnds(file.path, HEADER_BYTES, 0);
    if (!head.includes(BASE_FIELD)) return undefined;
    const record = RolloutRecord.fromLine(splitLines(head, true)[0]!);
    return historyBase(record?.payload ?? headerOf(file));
  } catch {
    // The piece's reader reports the error.
    return undefined;
  }
}

/** A longer header is read to its end. */
const HEADER_BYTES = 32 * 1024;

function headerOf(file: RolloutFile): Json {
  try {
    for (const { record } of recordsOf(file)) return record.payload;
  } catch {
    // The piece's reader reports the error.
  }
  return {};
}

/** Files from before ordinals are cut at the byte offset. */
export function isWithin(piece: Piece, ordinal: number | undefined, offset: number): boolean {
  return ordinal === undefined ? offset < piece.end.offset : ordinal < piece.end.ordinal;
}
