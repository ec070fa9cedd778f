/** Names of the fields and record types in Factory Droid's files: `<id>.jsonl` and `<id>.settings.json`. */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionImage } from "../../core/session.ts";
import { asArray, asObject, asObjects, asString, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";

const SESSION_SUFFIX = ".jsonl";
const SETTINGS_SUFFIX = ".settings.json";

export function isSessionFile(name: string): boolean {
  return name.endsWith(SESSION_SUFFIX);
}

export function sessionIdIn(name: string): string {
  return name.slice(0, -SESSION_SUFFIX.length);
}

export function sessionFileOf(id: string): string {
  return `${id}${SESSION_SUFFIX}`;
}

/** The file beside a session that has its model and its bill. */
export function settingsFileOf(sessionFile: string): string {
  return `${sessionFile.slice(0, -SESSION_SUFFIX.length)}${SETTINGS_SUFFIX}`;
}

/** The first record. */
export interface Header {
  title?: string;
  cwd?: string;
  /** The session that this one is a fork of, and the last message that was copied; none after a summary. */
  forkedFrom?: string;
  forkedAt?: string;
  /** The session whose sub-agent this is. */
  parentId?: string;
}

export type DroidRecord =
  | { is: "header"; header: Header }
  | { is: "title"; title: string | undefined }
  | { is: "message"; message: DroidMessage }
  | { is: "compaction"; summary: string | undefined; at: number | undefined }
  | { is: "silent" }
  | { is: "unknown"; type: string };

export interface DroidMessage {
  id: string | undefined;
  /** The message before it. */
  previousId: string | undefined;
  at: number | undefined;
  role: string | undefined;
  /** Shown to the user and not sent, such as an error. */
  isNotice: boolean;
  /** Sent without being shown. */
  isHidden: boolean;
  model: string | undefined;
  text: string;
  thinking: string;
  calls: { id: string; name: string; input: unknown }[];
  results: { id: string; output: unknown; isError: boolean }[];
  images: SessionImage[];
}

const SILENT = new Set(["agent_turn_outcome", "todo_state", "mission_state", "session_end"]);

export function recordIn(fields: Json): DroidRecord {
  const type = asText(fields["type"]) ?? "";
  if (type === "message") return { is: "message", message: messageIn(fields) };
  if (type === "session_start") return { is: "header", header: headerIn(fields) };
  if (type === "session_title_updated") return { is: "title", title: asText(fields["title"]) };
  if (type === "compaction_state") {
    return { is: "compaction", summary: asText(fields["summaryText"]), at: asTime(fields["timestamp"]) };
  }
  return SILENT.has(type) ? { is: "silent" } : { is: "unknown", type };
}

function headerIn(fields: Json): Header {
  return {
    ...optional("title", asText(fields["title"]) ?? asText(fields["sessionTitle"])),
    ...optional("cwd", asText(fields["cwd"])),
    ...optional("forkedFrom", asText(fields["parent"])),
    ...optional("forkedAt", asText(fields["forkedAtMessageId"])),
    ...optional("parentId", asText(fields["callingSessionId"])),
  };
}

/** Parts that Droid adds to a prompt; what the user typed is beside them. */
const REMINDER = "<system-reminder>";
const CONTEXT_ID = "context-";

function messageIn(fields: Json): DroidMessage {
  const message = asObject(fields["message"]) ?? {};
  const id = asText(fields["id"]);
  const content = message["content"];
  const parts: Json[] = asString(content) === undefined ? asObjects(content) : [{ type: "text", text: content }];
  const texts = parts.flatMap((part) => (part["type"] === "text" ? (asText(part["text"]) ?? []) : []));
  const visibility = message["visibility"] ?? fields["visibility"];
  return {
    id,
    previousId: asText(fields["parentId"]),
    at: asTime(fields["timestamp"]),
    role: asText(message["role"]),
    isNotice: visibility === "user_only",
    isHidden: visibility === "llm_only" || visibility === "hidden" || id?.startsWith(CONTEXT_ID) === true,
    model: asText(message["modelId"]),
    text: texts.filter((text) => !text.startsWith(REMINDER)).join("\n"),
    thinking: parts.flatMap((part) => (part["type"] === "thinking" ? (asText(part["thinking"]) ?? []) : [])).join("\n"),
    calls: parts.flatMap((part) => {
      const call = asText(part["id"]);
      if (part["type"] !== "tool_use" || call === undefined) return [];
      return [{ id: call, name: asText(part["name"]) ?? "tool", input: part["input"] }];
    }),
    results: parts.flatMap((part) => {
      const call = asText(part["tool_use_id"]);
      if (part["type"] !== "tool_result" || call === undefined) return [];
      return [{ id: call, output: outputOf(part["content"]), isError: part["is_error"] === true }];
    }),
    images: parts.flatMap((part) => imageIn(part) ?? []),
  };
}

function outputOf(content: unknown): unknown {
  const parts = asArray(content);
  if (parts === undefined) return content ?? "";
  return asObjects(parts)
    .map((part) => asString(part["text"]) ?? `[${asText(part["type"]) ?? "part"}]`)
    .join("\n");
}

function imageIn(part: Json): SessionImage | undefined {
  const source = asObject(part["source"]);
  const [mediaType, data] = [asText(source?.["media_type"]), asText(source?.["data"])];
  return part["type"] === "image" && mediaType !== undefined && data !== undefined ? { mediaType, data } : undefined;
}

/** What the settings say of a session: its model, and its tokens without those of its sub-agents. */
export function settingsFacts(settings: Json): { model: string | undefined; tokens: TokenCounts | undefined } {
  const usage = asObject(settings["tokenUsage"]);
  return { model: asText(settings["model"]), tokens: usage && tokensIn(usage) };
}

/** Here input is without the cache. Output includes thinking, where the service tells both apart. */
function tokensIn(usage: Json): TokenCounts {
  const output = asTokens(usage["outputTokens"]);
  return {
    input: asTokens(usage["inputTokens"]),
    cached: asTokens(usage["cacheReadTokens"]),
    cacheWrite: asTokens(usage["cacheCreationTokens"]),
    cacheWrite1h: 0,
    output,
    thinking: Math.min(output, asTokens(usage["thinkingTokens"])),
  };
}
