/**
 * `store.db` of a chat: blobs, and metadata that names the root blob, a protobuf message that lists the others. Field
 * numbers are those that independent readers agree on.
 */
import { asText, asTime, type Json } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import { textFromBytes } from "../shared/columns.ts";
import { blobIdsOf, messageOf, numberOf, parseWire, textsOf, type WireField } from "./protobuf.ts";

const ROOT = {
  messages: 1,
  oldTurns: 2,
  pending: 4,
  turns: 8,
  workspaces: 9,
  archives: 13,
  snapshotMs: 26,
} as const;
const ARCHIVE = { messages: 1, summaryMessage: 4 } as const;
const TURN = { agentTurn: 1 } as const;
const AGENT_TURN = { userMessage: 1, steps: 2 } as const;
const USER_MESSAGE = { text: 1, ms: [25, 26] } as const;
const STEP = { assistant: 1, thinking: 3 } as const;
const ASSISTANT = { text: 1, ms: [2] } as const;
const THINKING = { text: 1, ms: [3, 4] } as const;

export type ChatState = NonNullable<ReturnType<typeof readChatState>>;

/** Undefined for an empty chat. Throws if the content cannot be parsed. */
export function readChatState(database: ReadOnlyDatabase) {
  if (!database.hasColumn("blobs", "data") || !database.hasTable("meta")) {
    throw new Error("is not a chat store");
  }
  const meta = readMeta(database);
  const rootId = asText(meta?.["latestRootBlobId"]);
  if (meta === undefined || rootId === undefined) {
    if (database.get("SELECT 1 FROM blobs LIMIT 1") === undefined) return undefined;
    throw new Error("has no metadata that names its conversation");
  }
  const root = blobFields(database, rootId);
  if (root === undefined) throw new Error("holds its conversation in a form that is not known");
  return {
    meta,
    /** Ids of the message blobs in order, those archived by a compaction first. */
    messageIds: messageIds(database, root),
    /** Messages with pending tool calls, as JSON. */
    pending: textsOf(root, ROOT.pending),
    turnIds: blobIdsOf(root, ROOT.turns),
    oldTurnIds: blobIdsOf(root, ROOT.oldTurns),
    /** Working directories, as file URIs. */
    workspaces: textsOf(root, ROOT.workspaces),
    snapshotMs: numberOf(root, ROOT.snapshotMs),
  };
}

/** The metadata without the encryption key of the blobs. */
function readMeta(database: ReadOnlyDatabase): Json | undefined {
  const row = database.get("SELECT CAST(value AS BLOB) AS value FROM meta ORDER BY key = '0' DESC LIMIT 1");
  const stored = row === undefined ? "" : textFromBytes(row["value"]);
  // Hexadecimal JSON; one reader also found plain JSON.
  const json = /^(?:[0-9a-f]{2})+$/i.test(stored) ? Buffer.from(stored, "hex").toString("utf8") : stored;
  const meta = parseObject(json);
  if (meta !== undefined) delete meta["blobEncryptionKey"];
  return meta;
}

/**
 * A compaction replaces messages by a summary and archives their ids. Older summaries are only in the archive; the
 * newest is also in the list.
 */
function messageIds(database: ReadOnlyDatabase, root: readonly WireField[]): string[] {
  const current = blobIdsOf(root, ROOT.messages);
  const listed = new Set(current);
  const archived = blobIdsOf(root, ROOT.archives).flatMap((id) => {
    const archive = blobFields(database, id) ?? [];
    const summary = blobIdsOf(archive, ARCHIVE.summaryMessage).filter((summaryId) => !listed.has(summaryId));
    return [...blobIdsOf(archive, ARCHIVE.messages), ...summary];
  });
  return [...archived, ...current];
}

function blobFields(database: ReadOnlyDatabase, id: string): WireField[] | undefined {
  const bytes = blobBytes(database, id);
  return bytes === undefined ? undefined : parseWire(bytes);
}

/** A message blob; undefined if it is missing or not JSON (later versions may encrypt it). */
export function blobRecord(database: ReadOnlyDatabase, id: string): Json | undefined {
  return parseObject(textFromBytes(blobBytes(database, id)));
}

/** Every blob, including abandoned branches: messages as JSON, state as raw bytes. */
export function* rawBlobs(database: ReadOnlyDatabase): Generator<Json> {
  for (const row of database.each("SELECT CAST(id AS TEXT) AS id, CAST(data AS BLOB) AS data FROM blobs")) {
    const bytes = row["data"] instanceof Uint8Array ? row["data"] : new Uint8Array();
    const record = parseObject(textFromBytes(bytes));
    yield { id: row["id"], ...(record === undefined ? { base64: Buffer.from(bytes).toString("base64") } : { record }) };
  }
}

function blobBytes(database: ReadOnlyDatabase, id: string): Uint8Array | undefined {
  const data = database.get("SELECT CAST(data AS BLOB) AS data FROM blobs WHERE id = ?", id)?.["data"];
  return data instanceof Uint8Array ? data : undefined;
}

/** The chat's metadata. */
export function chatFields(meta: Json) {
  return { name: asText(meta["name"]), createdMs: asTime(meta["createdAt"]), model: asText(meta["lastUsedModel"]) };
}

export type Turn = ReturnType<typeof turnOf>;

/** The turns with their times, which message blobs lack. */
export function turnsOf(database: ReadOnlyDatabase, state: ChatState): Turn[] {
  const newer = state.turnIds.map((id) => messageOf(blobFields(database, id) ?? [], TURN.agentTurn));
  const older = state.oldTurnIds.map((id) => blobFields(database, id));
  return (newer.length > 0 ? newer : older).map((turn) => turnOf(database, turn ?? []));
}

function turnOf(database: ReadOnlyDatabase, turn: readonly WireField[]) {
  const [user] = blobIdsOf(turn, AGENT_TURN.userMessage);
  const prompt = user === undefined ? [] : (blobFields(database, user) ?? []);
  return {
    prompt: timed(prompt, USER_MESSAGE),
    steps: blobIdsOf(turn, AGENT_TURN.steps).flatMap((id) => {
      const step = blobFields(database, id) ?? [];
      const assistant = messageOf(step, STEP.assistant);
      const thinking = messageOf(step, STEP.thinking);
      return [
        ...(assistant === undefined ? [] : [timed(assistant, ASSISTANT)]),
        ...(thinking === undefined ? [] : [timed(thinking, THINKING)]),
      ];
    }),
  };
}

/** The time's field number differs between versions, so any plausible time is accepted. */
function timed(fields: readonly WireField[], numbers: { text: number; ms: readonly number[] }) {
  const at = numbers.ms.map((field) => asTime(numberOf(fields, field))).find((time) => time !== undefined);
  return { text: textsOf(fields, numbers.text)[0] ?? "", at };
}
