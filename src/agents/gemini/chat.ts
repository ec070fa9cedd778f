/** An opened chat, whichever layout it came from. */
import type { SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/fields.ts";
import { ReadNotes } from "../read-notes.ts";
import { Conversation } from "./conversation.ts";
import { buildMessages } from "./message.ts";

export interface Chat {
  readonly conversation: Conversation<unknown>;
  messages(): Iterable<SessionMessage>;
  raw(): unknown;
}

/** What the ends of a file tell; `whole` when there is nothing between them. */
export interface Skimmed {
  conversation: Conversation<unknown>;
  whole: boolean;
}

/** A chat whose records are in memory; `raw` is what they were made from. */
export function chatOf(
  records: Json[],
  raw: unknown,
  notes = new ReadNotes(),
): Chat & { conversation: Conversation<Json> } {
  const conversation = new Conversation<Json>();
  for (const record of records) conversation.see(record, () => record, notes);
  return {
    conversation,
    messages: () => buildMessages(conversation.view(), (record) => record, conversation.importedMs),
    raw: () => raw,
  };
}
