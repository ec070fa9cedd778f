/**
 * The database of OpenCode 2, converted to the messages and parts of the earlier layout. Based on the published schema,
 * not on recordings.
 */
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  asText,
  asTime,
  type Json,
} from "../../../lib/json/fields.ts";
import { parseObject } from "../../../lib/json/json.ts";
import { optional } from "../../../lib/values/optional.ts";
import type { ReadOnlyDatabase } from "../../../lib/sqlite/sqlite.ts";
import type { ReadNotes } from "../../read-notes.ts";
import { createdOf } from "./format.ts";
import { hasMessageTables, infoOf, messagesOf, sessionRows, type SessionTable } from "./format-tables.ts";
import type { StoredMessage, StoredSession } from "./stored-session.ts";

/** Rows outside of the conversation: switches, injected text, markers. */
const IGNORED_TYPES = new Set([
  "agent-switched",
  "model-switched",
  "location-switched",
  "synthetic",
  "system",
  "skill",
  "idle",
]);

export function hasV2Messages(database: ReadOnlyDatabase): boolean {
  return database.hasColumn("session_message", "seq");
}

export function loadV2Session(
  database: ReadOnlyDatabase,
  table: SessionTable,
  id: string,
  notes: ReadNotes,
): StoredSession | undefined {
  const row = sessionRows(database, table, id)[0];
  if (row === undefined) return undefined;
  const earlier = hasMessageTables(database) ? messagesOf(database, id, notes) : [];
  const messages = v2MessagesOf(database, id, notes, earlier);
  const present = new Set(messages.map((message) => message.id));
  // The migration drops some data, such as the cost of a compaction; the old tables still have it.
  const removed = earlier.filter((message) => !present.has(message.id));
  const rows = database.all("SELECT * FROM session_message WHERE session_id = ? ORDER BY seq", id);
  return { info: infoOf(row), messages, removed, isTranslated: true, raw: { session: row, messages: rows, removed } };
}

/** `earlier`: the same session in the tables it was migrated from. */
export function v2MessagesOf(
  database: ReadOnlyDatabase,
  sessionId: string,
  notes: ReadNotes,
  earlier: readonly StoredMessage[] = [],
): StoredMessage[] {
  const tokensBefore = new Map(earlier.map((message) => [message.id, message.data["tokens"]]));
  const messages: StoredMessage[] = [];
  const sql = "SELECT id, type, time_created, data FROM session_message WHERE session_id = ? ORDER BY seq";
  for (const row of database.each(sql, sessionId)) {
    const data = parseObject(row["data"]);
    if (data === undefined) {
      notes.damage(database.path);
      continue;
    }
    const id = String(row["id"]);
    const translated = translate(asString(row["type"]) ?? "", id, data, notes);
    if (translated === undefined) continue;
    const [message, parts] = translated;
    const tokens = asObject(tokensBefore.get(id)) ?? withTotal(asObject(data["tokens"]));
    messages.push({
      id,
      createdMs: createdOf(data) ?? asTime(row["time_created"]) ?? 0,
      data: { ...message, time: data["time"], ...optional("tokens", tokens) },
      parts: parts.map((part, index) => ({ id: `${id}/${String(index).padStart(6, "0")}`, data: part })),
    });
  }
  return messages;
}

/** Counts do not overlap here, which the total expresses in the earlier layout. */
function withTotal(tokens: Json | undefined): Json | undefined {
  if (tokens === undefined) return undefined;
  const cache = asObject(tokens["cache"]) ?? {};
  const counts = [tokens["input"], tokens["output"], tokens["reasoning"], cache["read"], cache["write"]];
  return { ...tokens, total: counts.reduce<number>((sum, count) => sum + (asNumber(count) ?? 0), 0) };
}

function translate(type: string, id: string, data: Json, notes: ReadNotes): [message: Json, parts: Json[]] | undefined {
  if (type === "user") {
    const files = asObjects(data["files"]).map((file) => ({ type: "file", filename: file["name"] ?? file["uri"] }));
    return [{ role: "user" }, [{ type: "text", text: data["text"] }, ...files]];
  }
  if (type === "assistant") return [assistant(data), asObjects(data["content"]).map(contentPart)];
  if (type === "compaction") {
    if (data["status"] === "running") return undefined;
    return [{ ...assistant(data), summary: true }, [{ type: "text", text: data["summary"] }]];
  }
  if (type === "shell") {
    const state = {
      status: data["status"] === "running" ? "running" : "completed",
      input: { command: data["command"] },
      output: outputText(data["output"]),
      time: { start: asObject(data["time"])?.["created"], end: asObject(data["time"])?.["completed"] },
    };
    return [{ role: "assistant" }, [{ type: "tool", tool: "shell", callID: asText(data["shellID"]) ?? id, state }]];
  }
  if (!IGNORED_TYPES.has(type)) notes.unknown(`session_message ${type}`);
  return undefined;
}

function assistant(data: Json): Json {
  const model = asObject(data["model"]);
  const error = asObject(data["error"]);
  return {
    role: "assistant",
    modelID: model?.["id"],
    providerID: model?.["providerID"],
    cost: data["cost"],
    ...(error === undefined ? {} : { error: { name: error["type"], data: error } }),
  };
}

function contentPart(part: Json): Json {
  if (part["type"] !== "tool") return part;
  const state = asObject(part["state"]) ?? {};
  const time = asObject(part["time"]) ?? {};
  return {
    type: "tool",
    tool: part["name"],
    callID: part["id"],
    state: {
      status: state["status"] === "streaming" ? "pending" : state["status"],
      input: state["input"],
      output: outputText(state["content"] ?? state["output"]),
      error: asObject(state["error"])?.["message"],
      time: { start: time["ran"] ?? time["created"], end: time["completed"] },
    },
  };
}

function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  const items = asArray(output) === undefined ? asObjects([output]) : asObjects(output);
  return items
    .map((item) => asString(item["text"]) ?? asString(item["output"]) ?? asString(item["uri"]) ?? "")
    .join("\n");
}
