/** An opened chat of any layout. */
import { basename } from "node:path";
import type { SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { loadingParts, parseRecord, readLines } from "../../lib/json/jsonl.ts";
import { ReadNotes } from "../read-notes.ts";
import { documentIn } from "../shared/document-file.ts";
import { rawLines, seeEdges } from "../shared/line-file.ts";
import { documentParts, messageAt, normalized } from "./format.ts";
import { buildMessages } from "./message.ts";
import { Replay, type Row } from "./replay.ts";

export interface Chat {
  readonly replay: Replay<unknown>;
  messages(): Iterable<SessionMessage>;
  /** The native records of the rows. */
  records(rows: readonly Row<unknown>[]): Iterable<Json>;
  raw(): unknown;
}

/** A chat whose records are in memory; `raw` is their native form. */
export function chatOf(records: Json[], raw: unknown, notes: ReadNotes): Chat & { replay: Replay<Json> } {
  const replay = new Replay<Json>();
  for (const record of records) replay.see(record, () => record, notes);
  return {
    replay,
    messages: () => buildMessages(replay.view(), (record) => record, replay.importedMs),
    records: (rows) => rows.map(({ place }) => place as Json),
    raw: () => raw,
  };
}

interface Place {
  offset: number;
  length: number;
  /** Index into a `$set.messages` list, if any. */
  index: number | undefined;
}

/**
 * Reads a line-based chat of 0.39 or later, or a documented one. Messages are built from the offsets that this pass found. Throws
 * if the file cannot be opened.
 */
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
    messages: () => loadingRecords(path, (load) => buildMessages(replay.view(), load, replay.importedMs)),
    records: (rows) =>
      loadingRecords(path, (load) => (rows as readonly Row<Place>[]).flatMap<Json>(({ place }) => load(place) ?? [])),
    raw: () => rawLines(path),
  };
}

/** The head, from both ends of a file; `whole` if there is nothing between them. Throws if the file cannot be opened. */
export function skimChatFile(path: string): { replay: Replay<unknown>; whole: boolean } {
  const replay = new Replay<unknown>();
  // The full reader notes unknown records; noting them here would count them twice.
  const notes = new ReadNotes();
  const see = (line: Buffer, index: number): void => {
    const record = parseRecord(line);
    if (record) replay.see(normalized(record, idAt(path, index)), () => undefined, notes);
  };
  const whole = seeEdges(path, see, () => replay.hasConversation);
  return { replay, whole };
}

type Load = (place: Place) => Json | undefined;

function loadingRecords<T>(path: string, use: (load: Load) => Iterable<T>): Iterable<T> {
  return loadingParts(path, (load) => {
    // Neighbouring rows are often in one `$set.messages` line.
    let loaded: { offset: number; record: Json | undefined } | undefined;
    return use(({ offset, length, index }) => {
      if (loaded?.offset !== offset) loaded = { offset, record: parseRecord(load(offset, length)) };
      const { record } = loaded;
      if (record === undefined) return undefined;
      return index === undefined ? normalized(record, idAt(path, offset)) : messageAt(record, index);
    });
  });
}

/** For a message that has no id. */
function idAt(path: string, offset: number): string {
  return `${basename(path, ".jsonl")}@${offset}`;
}

/**
 * Reads chats of 0.5.5 to 0.38: one indented JSON document, rewritten on every change. Throws if the file cannot be opened; an
 * unparsable chat has no records.
 */
export function openDocument(path: string, notes: ReadNotes): Chat {
  const document = documentIn(path, notes);
  const { header, messages } = documentParts(document ?? {});
  const chat = chatOf(messages, document, notes);
  if (document) chat.replay.seeHeader(header);
  return chat;
}
