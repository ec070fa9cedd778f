/**
 * Reads line-based chats of 0.39 and later, and the documented ones. Messages are built from the offsets that the first pass
 * found.
 */
import { closeSync } from "node:fs";
import { basename } from "node:path";
import type { SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseRecord, readAt, readHeadAndTail, readLines } from "../../lib/json/jsonl.ts";
import { ReadNotes } from "../read-notes.ts";
import { rawLines } from "../shared/line-file.ts";
import type { Chat, Skimmed } from "./chat.ts";
import { Replay, type Row } from "./replay.ts";
import { buildMessages } from "./message.ts";
import { messageAt, normalized } from "./format.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

interface Place {
  offset: number;
  length: number;
  /** Index into a `$set.messages` list, if any. */
  index: number | undefined;
}

/** Throws if the file cannot be opened. */
export function openChatFile(path: string, notes: ReadNotes): Chat {
  const replay = new Replay<Place>();
  for (const line of readLines(path, { onLongLine: () => notes.damage(path) })) {
    const { offset } = line;
    const record = parseRecord(line.bytes);
    if (record !== undefined) {
      const { length } = line.bytes;
      replay.see(normalized(record, idAt(path, offset)), (index) => ({ offset, length, index }), notes);
    } else if (line.complete) notes.damage(path);
  }
  return {
    replay,
    messages: () => messagesIn(path, replay),
    records: (rows) => recordsIn(path, rows as readonly Row<Place>[]),
    raw: () => rawLines(path),
  };
}

/** First prompt, summary and dates are at the ends of the file. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;
/** How far to search for the first prompt if the context before it is large. */
const PROMPT_SEARCH_BYTES = 2 * 1024 * 1024;

/** The head, from both ends of a file. Throws if the file cannot be opened. */
export function skimChatFile(path: string): Skimmed {
  const { head, tail, whole } = readHeadAndTail(path, HEAD_BYTES, TAIL_BYTES);
  const replay = new Replay<unknown>();
  // The full reader notes unknown records; noting them here would count them twice.
  const notes = new ReadNotes();
  const see = (bytes: Buffer, offset: number): void => {
    const record = parseRecord(bytes);
    if (record) replay.see(normalized(record, idAt(path, offset)), () => undefined, notes);
  };
  head.forEach(see);
  if (!whole && !replay.hasConversation) {
    for (const line of readLines(path, { to: PROMPT_SEARCH_BYTES })) {
      see(line.bytes, line.offset);
      if (replay.hasConversation) break;
    }
  }
  tail.forEach((bytes, index) => see(bytes, head.length + index));
  return { replay, whole };
}

type Load = (place: Place) => Json | undefined;

function* messagesIn(path: string, replay: Replay<Place>): Generator<SessionMessage> {
  yield* loading(path, (load) => buildMessages(replay.view(), load, replay.importedMs));
}

function* recordsIn(path: string, rows: readonly Row<Place>[]): Generator<Json> {
  yield* loading(path, (load) => rows.flatMap<Json>(({ place }) => load(place) ?? []));
}

function* loading<T>(path: string, use: (load: Load) => Iterable<T>): Generator<T> {
  const fd = openForReading(path);
  try {
    // Neighbouring rows are often in one `$set.messages` line.
    let loaded: { offset: number; record: Json | undefined } | undefined;
    yield* use(({ offset, length, index }) => {
      if (loaded?.offset !== offset) loaded = { offset, record: parseRecord(readAt(fd, offset, length)) };
      const { record } = loaded;
      if (record === undefined) return undefined;
      if (index === undefined) return normalized(record, idAt(path, offset));
      return messageAt(record, index);
    });
  } finally {
    closeSync(fd);
  }
}

/** For a message that has no id. */
function idAt(path: string, offset: number): string {
  return `${basename(path, ".jsonl")}@${offset}`;
}
