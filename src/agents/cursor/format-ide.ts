/**
 * Conversations of the Cursor IDE in the editor's key-value database. Only the keys `composerData:` and `bubbleId:` are
 * read, because the same table holds the account's tokens.
 */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import {
  asArray,
  asObject,
  asObjects,
  asString,
  asText,
  asTime,
  asTokens,
  wordOf,
  type Json,
} from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import type { SessionHead } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { textFromBytes } from "../shared/columns.ts";
import type { ListedSession } from "../shared/source-list.ts";
import { answerMessage, withTimestamp } from "../shared/message-fields.ts";

const USER_BUBBLE = 1;
const ASSISTANT_BUBBLE = 2;

/** All keys with this prefix; the table is indexed by key. */
function keyRange(prefix: string): [string, string] {
  return [prefix, `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`];
}

/** Conversations with messages, from one query, because values can be megabytes. */
export function listIdeSessions(
  database: ReadOnlyDatabase,
  workspaceFolders: () => ReadonlyMap<string, string>,
): ListedSession[] {
  if (!database.hasColumn("cursorDiskKV", "value")) return [];
  const field = (path: string): string => `json_extract(json, '$.${path}')`;
  const rows = database.all(
    `SELECT substr(key, ${"composerData:".length + 1}) AS id, ${field("name")} AS name,
       CAST(${field("createdAt")} AS REAL) AS created, CAST(${field("lastUpdatedAt")} AS REAL) AS updated,
       ${field("modelConfig.modelName")} AS model, ${field("workspaceIdentifier.uri.fsPath")} AS cwd,
       ${field("isArchived")} AS archived,
       coalesce(${field("fullConversationHeadersOnly[0].bubbleId")}, ${field("conversation[0].bubbleId")}) AS first
     FROM (SELECT key, CAST(value AS TEXT) AS json FROM cursorDiskKV WHERE key >= ? AND key < ?)
     WHERE json_valid(json)`,
    ...keyRange("composerData:"),
  );
  const sessions = rows.filter((row) => row["first"] !== null);
  const folders = sessions.some((row) => row["cwd"] === null) ? workspaceFolders() : undefined;
  return sessions.map((row) => {
    const id = String(row["id"]);
    return { id, head: headOf(row, asText(row["cwd"]) ?? folders?.get(id), () => firstPrompt(database, id)) };
  });
}

function headOf(row: Row, cwd: string | undefined, prompt: () => string | undefined): SessionHead {
  const created = asTime(row["created"]);
  return {
    title: sessionTitle(asText(row["name"]), prompt),
    ...optional("createdMs", created),
    ...optional("updatedMs", asTime(row["updated"]) ?? created),
    ...optional("model", asText(row["model"])),
    ...optional("cwd", cwd),
    ...(row["archived"] === 1 ? { archived: true } : {}),
    // At most the last bubble of a turn has counts; newer versions have none.
    usageUnknown: true,
  };
}

function firstPrompt(database: ReadOnlyDatabase, id: string): string | undefined {
  const prompts = bubblesOf(database, id).filter((bubble) => bubble["type"] === USER_BUBBLE);
  return prompts.map((bubble) => asText(bubble["text"])).find((text) => text !== undefined);
}

export function readIdeSession(
  database: ReadOnlyDatabase,
  id: string,
  head: SessionHead,
  notes: ReadNotes,
): ParsedSession | undefined {
  const composer = valueOf(database, `composerData:${id}`);
  if (composer === undefined) return undefined;
  const bubbles = bubblesOf(database, id, (count) => notes.damage(database.path, count));
  const messages = bubbles.map((bubble) => messageOf(bubble, notes)).filter((message) => message !== undefined);
  return { head, messages, usage: [], raw: { composer, bubbles } };
}

/** In the order of the composer's list, not of the keys. */
function bubblesOf(database: ReadOnlyDatabase, id: string, onMissing?: (count: number) => void): Json[] {
  const composer = valueOf(database, `composerData:${id}`) ?? {};
  const headers = asArray(composer["fullConversationHeadersOnly"]);
  // Older versions stored the bubbles in the composer.
  const bubbles =
    headers?.map((header) => valueOf(database, `bubbleId:${id}:${asText(asObject(header)?.["bubbleId"]) ?? ""}`)) ??
    (asArray(composer["conversation"]) ?? []).map(asObject);
  const present = bubbles.filter((bubble) => bubble !== undefined);
  if (present.length < bubbles.length) onMissing?.(bubbles.length - present.length);
  return present;
}

function valueOf(database: ReadOnlyDatabase, key: string): Json | undefined {
  const row = database.get("SELECT CAST(value AS BLOB) AS value FROM cursorDiskKV WHERE key = ?", key);
  return parseObject(textFromBytes(row?.["value"]));
}

function messageOf(bubble: Json, notes: ReadNotes): SessionMessage | undefined {
  const content = asString(bubble["text"]) ?? "";
  const time = withTimestamp(asTime(bubble["createdAt"]));
  if (bubble["type"] === USER_BUBBLE) return content === "" ? undefined : { role: "user", content, ...time };
  if (bubble["type"] !== ASSISTANT_BUBBLE) {
    notes.unknown(`bubble ${wordOf(bubble["type"])}`);
    return undefined;
  }
  const thinking = asText(asObject(bubble["thinking"])?.["text"]);
  const call = toolCallOf(bubble);
  if (content === "" && thinking === undefined && call === undefined) return undefined;
  const counts = asObject(bubble["tokenCount"]);
  const [inputTokens, outputTokens] = [asTokens(counts?.["inputTokens"]), asTokens(counts?.["outputTokens"])];
  const answer = {
    content,
    toolCalls: call === undefined ? [] : [call],
    thinking,
    model: asText(asObject(bubble["modelInfo"])?.["modelName"]),
    tokenUsage: inputTokens + outputTokens > 0 ? { inputTokens, outputTokens } : undefined,
  };
  return answerMessage(answer, time);
}

/** A bubble holds a call and its result, so the result is not a separate message. */
function toolCallOf(bubble: Json): SessionToolCall | undefined {
  const tool = asObject(bubble["toolFormerData"]);
  const toolName = asText(tool?.["name"]);
  if (tool === undefined || toolName === undefined) return undefined;
  return {
    toolCallId: asText(tool["toolCallId"]) ?? asText(bubble["bubbleId"]) ?? "",
    toolName,
    input: decoded(tool["rawArgs"]) ?? decoded(tool["params"]),
    ...optional("output", decoded(tool["result"])),
    ...(tool["status"] === "error" ? { isError: true } : {}),
  };
}

/** Arguments and results are JSON strings. */
function decoded(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  return value === "" ? undefined : (parseObject(value) ?? value);
}

/** Ids of the conversations in a workspace's database. */
export function conversationsIn(database: ReadOnlyDatabase): string[] {
  if (!database.hasColumn("ItemTable", "value")) return [];
  const sql = "SELECT CAST(value AS TEXT) AS value FROM ItemTable WHERE key = 'composer.composerData'";
  const composers = asObjects(parseObject(database.get(sql)?.["value"])?.["allComposers"]);
  return composers.flatMap((composer) => asText(composer["composerId"]) ?? []);
}
