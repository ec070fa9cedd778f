/** A chat of the CLI: its store, and the `meta.json` of newer versions. */
import { asTime, type Json } from "../../lib/json/fields.ts";
import { objectIn } from "../../lib/json/json-file.ts";
import { parseObject } from "../../lib/json/json.ts";
import { type ReadOnlyDatabase, withDatabase } from "../../lib/sqlite/sqlite.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { pathOfUri } from "../shared/file-uri.ts";
import { chatMessages, promptOf, sentText, workspacePathIn } from "./chat-messages.ts";
import { blobRecord, chatFields, type ChatState, rawBlobs, readChatState, type Turn, turnsOf } from "./format-store.ts";
import { callIdsIn, chatRecord, metaFields } from "./format.ts";

export interface ChatLocation {
  store: string;
  metaJson?: string;
  /** The parent session of a sub-agent. */
  parentId?: string;
}

export function summarizeChat(source: SessionSource, place: ChatLocation): SessionHead | undefined {
  return withDatabase(place.store, (database) => {
    const state = readChatState(database);
    return state && headOf(database, state, source, place);
  });
}

export function readChat(source: SessionSource, place: ChatLocation, notes: ReadNotes): SessionReader | undefined {
  return withDatabase(place.store, (database) => {
    const state = readChatState(database);
    const head = state && headOf(database, state, source, place);
    if (state === undefined || head === undefined) return undefined;
    const records = [...recordsOf(database, state, () => notes.damage(place.store))];
    const messages = [...chatMessages(records, notes, new ChatTimes(database, state))];
    return { ...readerOf({ head, messages, usage: [], raw: undefined }), raw: () => rawChat(place) };
  });
}

function rawChat(place: ChatLocation): Json {
  return withDatabase(place.store, (database) => ({
    meta: readChatState(database)?.meta,
    metaJson: place.metaJson === undefined ? undefined : objectIn(place.metaJson),
    blobs: [...rawBlobs(database)],
  }));
}

function* recordsOf(database: ReadOnlyDatabase, state: ChatState, onDamage?: () => void): Generator<Json> {
  const called = new Set<string>();
  for (const id of state.messageIds) {
    const record = blobRecord(database, id);
    if (record === undefined) onDamage?.();
    else {
      for (const call of callIdsIn(record)) called.add(call);
      yield record;
    }
  }
  // A reply may be in the list before its tools have finished.
  for (const text of state.pending) {
    const record = parseObject(text) ?? {};
    const ids = callIdsIn(record);
    if (chatRecord(record).role === "assistant" && ids.length > 0 && !ids.some((id) => called.has(id))) yield record;
  }
}

const NAMELESS = new Set(["", "new agent", "new chat"]);

function headOf(
  database: ReadOnlyDatabase,
  state: ChatState,
  source: SessionSource,
  place: ChatLocation,
): SessionHead | undefined {
  const opening = openingOf(database, state);
  if (opening === undefined) return undefined;
  const metaJson = metaFields(place.metaJson === undefined ? undefined : objectIn(place.metaJson));
  const chat = chatFields(state.meta);
  const title = [metaJson.title, chat.name].find(
    (name) => name !== undefined && !NAMELESS.has(name.trim().toLowerCase()),
  );
  const updated = metaJson.updatedMs ?? asTime(state.snapshotMs) ?? source.updatedMs;
  return {
    title: sessionTitle(title, opening.prompt),
    ...optional("createdMs", metaJson.createdMs ?? chat.createdMs),
    updatedMs: Math.round(updated),
    ...optional("model", chat.model),
    ...optional("cwd", metaJson.cwd ?? pathOfUri(state.workspaces[0]) ?? opening.workspace),
    ...optional("parentId", place.parentId),
    // The store has at most a gauge of the context, never billed usage.
    usageUnknown: true,
  };
}

/** The first prompt and the directory before it; undefined for an empty chat. */
function openingOf(database: ReadOnlyDatabase, state: ChatState): { prompt?: string; workspace?: string } | undefined {
  let workspace: string | undefined;
  let spoken = false;
  for (const fields of recordsOf(database, state)) {
    const record = chatRecord(fields);
    if (record.role === "assistant") spoken = true;
    if (record.role !== "user" || record.isSummary) continue;
    const text = sentText(record);
    workspace ??= workspacePathIn(text);
    const prompt = promptOf(text).text;
    if (prompt !== "") return { prompt, ...optional("workspace", workspace) };
  }
  return spoken ? optional("workspace", workspace) : undefined;
}

/**
 * Message times of a chat. Message blobs have none, but turns (a user message and the steps of the answer) do. Turns are matched
 * with messages by text, in order.
 */
class ChatTimes {
  readonly #turns: Turn[];
  #current = -1;

  constructor(database: ReadOnlyDatabase, state: ChatState) {
    this.#turns = turnsOf(database, state);
  }

  /** The time of a prompt; earlier turns are done. */
  ofPrompt(text: string): number | undefined {
    const index = this.#turns.findIndex((turn, candidate) => candidate > this.#current && same(turn.prompt.text, text));
    if (index === -1) return undefined;
    this.#current = index;
    return this.#turns[index]!.prompt.at;
  }

  /** The time of a reply in the current turn, by its text or else by its reasoning. */
  ofReply(text: string, thinking: string | undefined): number | undefined {
    const steps = this.#turns[this.#current]?.steps ?? [];
    const wanted = text === "" ? thinking : text;
    return wanted === undefined ? undefined : steps.find((step) => same(step.text, wanted))?.at;
  }
}

function same(a: string, b: string): boolean {
  return a.trim() === b.trim();
}
