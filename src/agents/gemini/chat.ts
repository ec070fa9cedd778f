/** An opened chat of any layout. */
import type { SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { ReadNotes } from "../read-notes.ts";
import { Replay, type Row } from "./replay.ts";
import { buildMessages } from "./message.ts";

export interface Chat {
  readonly replay: Replay<unknown>;
  messages(): Iterable<SessionMessage>;
  /** The native records of the rows. */
  records(rows: readonly Row<unknown>[]): Iterable<Json>;
  raw(): unknown;
}

/** The ends of a file; `whole` if there is nothing between them. */
export interface Skimmed {
  replay: Replay<unknown>;
  whole: boolean;
}

/** A chat whose records are in memory; `raw` is their native form. */
export function chatOf(records: Json[], raw: unknown, notes = new ReadNotes()): Chat & { replay: Replay<Json> } {
  const replay = new Replay<Json>();
  for (const record of records) replay.see(record, () => record, notes);
  return {
    replay,
    messages: () => buildMessages(replay.view(), (record) => record, replay.importedMs),
    records: (rows) => rows.map(({ place }) => place as Json),
    raw: () => raw,
  };
}
