/**
 * The format of Claude Code's transcripts. Only this file names fields and record types, so that a renamed field is a change in
 * one place.
 */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionImage } from "../../core/session.ts";
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  asText,
  asTime,
  asTokens,
  type Json,
} from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import { picturesOf } from "../shared/pictures.ts";

/** One line of a transcript. */
export type ClaudeRecord = Json;

/** Records that are linked by parent. */
const CHAIN = new Set(["user", "assistant", "system", "attachment"]);

/** Repeated often and not part of the conversation. The `api-request` family is most of a newer file. */
const BOOKKEEPING = new Set(
  `custom-title ai-title agent-name last-prompt mode permission-mode queue-operation tools-used cost-state
  file-history-snapshot file-history-delta worktree-state atis-latch summary api-request api-request-shape api-request-blob
  progress tag pr-link agent-color relocated content-replacement fork-context-ref derived-from session-owner bridge-session
  repl-mode ended-by-model history-suppression memory-mode cost`.split(/\s+/),
);

/** Bookkeeping that is not needed: recognised by its first bytes and never parsed. */
const UNREAD = "api-request file-history atis-latch tools-used mode permission-mode progress worktree-state"
  .split(" ")
  .map((type) => Buffer.from(`{"type":"${type}`));

/** Present in every line that bills something: a reply, its searches, a total. */
export const BILLING_NEEDLES = ['_tokens"', 'searchCount"', '"cost-state"', '"type":"cost"'];
/** How a line begins that titles another session. */
export const FOREIGN_TITLE_START = '{"type":"summary"';
/** The keys of ids that copies keep: of records, and of replies and calls. */
export const RECORD_ID_MARK = '"uuid":"';
export const ANY_ID_MARK = '"id":"';

export function isUnread(line: Buffer): boolean {
  // Chain records begin with parentUuid; only bookkeeping begins with its type.
  return line[2] === 0x74 && UNREAD.some((prefix) => line.subarray(0, prefix.length).equals(prefix));
}

export function isChain(record: ClaudeRecord): boolean {
  return CHAIN.has(record["type"] as string);
}

/** The type of an unknown record. */
export function unknownType(record: ClaudeRecord): string | undefined {
  const type = asText(record["type"]);
  return type !== undefined && (CHAIN.has(type) || BOOKKEEPING.has(type)) ? undefined : (type ?? NO_TYPE);
}

export const NO_TYPE = "(no type)";

export const isUser = (record: ClaudeRecord): boolean => record["type"] === "user";
export const isAssistant = (record: ClaudeRecord): boolean => record["type"] === "assistant";
export const isAttachment = (record: ClaudeRecord): boolean => record["type"] === "attachment";

/** True for sub-agents in versions that wrote them into the main file; in a sub-agent's own file, for all records. */
export const isSidechain = (record: ClaudeRecord): boolean => record["isSidechain"] === true;
/** Written for the model, not by or for a person. */
export const isMeta = (record: ClaudeRecord): boolean => record["isMeta"] === true;
export const isCompactSummary = (record: ClaudeRecord): boolean => record["isCompactSummary"] === true;
export const isCompactBoundary = (record: ClaudeRecord): boolean => record["subtype"] === "compact_boundary";
/** An error that is shown instead of a reply. */
export const isApiError = (record: ClaudeRecord): boolean => record["isApiErrorMessage"] === true;
/** An error that refuses a request because of a limit; newer versions name the limit and its reset. */
export function limitIn(record: ClaudeRecord): { kind?: string; resetsAt?: number } | undefined {
  if (!isApiError(record) || record["error"] !== "rate_limit") return undefined;
  const quota = asObject(record["quotaLimits"]);
  const kind = asText(quota?.["rateLimitType"]);
  if (kind === undefined || quota?.["status"] !== "rejected") return {};
  return { kind, ...optional("resetsAt", asTime(quota["resetsAt"])) };
}

/** Copied in by `/branch`. */
export const isBranched = (record: ClaudeRecord): boolean => record["forkedFrom"] !== undefined;
/** Claude Code records the duration of a turn at its end. */
export const endsTurn = (record: ClaudeRecord): boolean =>
  record["type"] === "system" && record["subtype"] === "turn_duration";

export const idOf = (record: ClaudeRecord): string | undefined => asText(record["uuid"]);
export const timeOf = (record: ClaudeRecord): number | undefined => asTime(record["timestamp"]);
export const sessionOf = (record: ClaudeRecord): string | undefined => asText(record["sessionId"]);
export const subagentOf = (record: ClaudeRecord): string | undefined => asText(record["agentId"]);
export const cwdOf = (record: ClaudeRecord): string | undefined => asText(record["cwd"]);
export const branchOf = (record: ClaudeRecord): string | undefined => asText(record["gitBranch"]);
export const versionOf = (record: ClaudeRecord): string | undefined => asText(record["version"]);

/** A compaction boundary has no parent but names its predecessor. */
export function parentOf(record: ClaudeRecord): string | undefined {
  return asText(record["parentUuid"]) ?? asText(record["logicalParentUuid"]);
}

/** `/branch` names the session in every record, the documented layout in a metadata object on the first line. */
export function forkedFrom(record: ClaudeRecord): string | undefined {
  return asText(asObject(record["forkedFrom"])?.["sessionId"]) ?? asText(record["forkedFrom"]);
}

/** A record in a fork, as `/branch` writes it. */
export function branchedRecord(record: ClaudeRecord, from: string, to: string): ClaudeRecord {
  const renamed = "session_id" in record ? { session_id: to } : {};
  return { ...record, ...renamed, sessionId: to, forkedFrom: { sessionId: from, messageUuid: record["uuid"] } };
}

/** Whether the record names the one to continue from; undefined: the last. */
export function choiceIn(record: ClaudeRecord): { leaf: string | undefined } | undefined {
  const isChoice = record["type"] === "last-prompt" && record["explicit"] === true;
  return isChoice ? { leaf: asText(record["leafUuid"]) } : undefined;
}

/** Start time of a file that began with typed input. */
export function queuedAt(record: ClaudeRecord): number | undefined {
  return record["type"] === "queue-operation" ? timeOf(record) : undefined;
}

export interface Titles {
  /** The user's. */
  custom?: string | undefined;
  /** The program's. */
  made?: string | undefined;
  /** The session that ends with this record. */
  other?: { leaf: string; title: string };
}

export function titlesIn(record: ClaudeRecord): Titles {
  switch (record["type"]) {
    case "custom-title":
      return { custom: asText(record["customTitle"]) };
    case "ai-title":
      return { made: asText(record["aiTitle"]) };
    case "summary": {
      const leaf = asText(record["leafUuid"]);
      const title = asText(record["summary"]);
      return leaf === undefined || title === undefined ? {} : { other: { leaf, title } };
    }
    default:
      return {};
  }
}

/** `<session>/custom-title.json`. */
export const sidecarTitle = (document: unknown): string | undefined => asText(asObject(document)?.["customTitle"]);

/** `agent-<id>.meta.json`: a sub-agent's name, and the call that started it. */
export function subagentMeta(document: unknown): { label: string | undefined; callId: string | undefined } {
  const meta = asObject(document);
  return { label: asText(meta?.["description"]) ?? asText(meta?.["agentType"]), callId: asText(meta?.["toolUseId"]) };
}

/** One reply has one message id, however many records its blocks are spread over. Other programs write none. */
export function replyId(record: ClaudeRecord): string | undefined {
  const uuid = idOf(record);
  return asText(messageOf(record)?.["id"]) ?? (uuid === undefined ? undefined : `uuid:${uuid}`);
}

/** Undefined for synthetic replies: "No response requested." after an interrupted turn. */
export function modelOf(record: ClaudeRecord): string | undefined {
  const model = asText(messageOf(record)?.["model"]);
  return model === MADE_UP ? undefined : model;
}

export const isMadeUp = (record: ClaudeRecord): boolean => messageOf(record)?.["model"] === MADE_UP;
const MADE_UP = "<synthetic>";

export const stopReasonOf = (record: ClaudeRecord): string | undefined => asText(messageOf(record)?.["stop_reason"]);

function messageOf(record: ClaudeRecord): Json | undefined {
  return asObject(record["message"]);
}

/** A prompt typed while the agent was busy is an attachment; undefined for other attachments. */
export function queuedContent(record: ClaudeRecord): unknown {
  const attachment = asObject(record["attachment"]);
  const isQueued = attachment?.["type"] === "queued_command" && attachment["commandMode"] !== "task-notification";
  return isQueued ? attachment["prompt"] : undefined;
}

export const contentOf = (record: ClaudeRecord): unknown => messageOf(record)?.["content"];

/** Images in a user's record. */
export const imagesOf = (record: ClaudeRecord): { images?: SessionImage[] } => picturesOf(contentOf(record));

export type Block =
  | { kind: "text" | "thinking"; text: string }
  | { kind: "call"; id: string | undefined; tool: string; input: unknown }
  | { kind: "result"; callId: string; content: unknown; isError: boolean }
  | { kind: "image" | "document" | "other" };

/** The blocks of a record's message; a plain string counts as one text block. */
export function blocksOf(record: ClaudeRecord): Block[] {
  return blocksIn(contentOf(record));
}

export function blocksIn(content: unknown): Block[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return asObjects(content).map(blockOf);
}

function blockOf(block: Json): Block {
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string" ? { kind: "text", text: block["text"] } : OTHER;
    case "thinking":
      return { kind: "thinking", text: asString(block["thinking"]) ?? "" };
    case "redacted_thinking":
      return { kind: "thinking", text: "[redacted]" };
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return { kind: "call", id: asText(block["id"]), tool: asText(block["name"]) ?? "", input: block["input"] };
    case "image":
    case "document":
      return { kind: block["type"] };
    default: {
      // Results of server-side tools have their own types.
      const callId = asText(block["tool_use_id"]);
      if (callId === undefined) return OTHER;
      return { kind: "result", callId, content: block["content"], isError: block["is_error"] === true };
    }
  }
}

const OTHER: Block = { kind: "other" };

/** A result as text if it is only text, else its blocks (images). */
export function outputOf(content: unknown): unknown {
  if (content === undefined) return "";
  const blocks = asArray(content);
  if (blocks === undefined) return content;
  const isText = blocks.every((item) => asObject(item)?.["type"] === "text");
  return isText ? textIn(blocksIn(blocks)) : blocks;
}

/** The text of blocks. */
export function textIn(blocks: readonly Block[], between = "\n"): string {
  return blocks.flatMap((block) => (block.kind === "text" ? block.text : [])).join(between);
}

/** Duration of a call, if its result has it. */
export function toldDuration(result: ClaudeRecord): number | undefined {
  const structured = asObject(result["toolUseResult"]);
  const told = structured?.["durationMs"] ?? structured?.["totalDurationMs"];
  return typeof told === "number" && told >= 0 ? told : undefined;
}

export const isWebSearch = (tool: string): boolean => tool === "WebSearch";

/** The number of searches that a search result reports. */
export const searchesIn = (result: ClaudeRecord): number =>
  asTokens(asObject(result["toolUseResult"])?.["searchCount"]);

/** The request data in a record of a reply. */
export interface RequestUsage {
  at: number | undefined;
  cwd: string | undefined;
  branch: string | undefined;
  /** Copied in by `/branch`. */
  branched: boolean;
  model: string;
  tokens: TokenCounts;
  /** Blocks written during streaming have no stop reason; a reply without any was cut off. */
  finished: boolean;
  hasRequestId: boolean;
  /** Versions up to 1.0.0 wrote dollars on each reply. */
  reportedMicroUsd: number | undefined;
  modifiers: string[];
  webSearches: number;
}

/** Undefined if there is nothing to bill. */
export function usageOf(record: ClaudeRecord): RequestUsage | undefined {
  const usage = asObject(messageOf(record)?.["usage"]);
  const model = modelOf(record);
  if (usage === undefined || model === undefined || isApiError(record)) return undefined;
  const usd = asNumber(record["costUSD"]);
  const geo = asText(usage["inference_geo"]);
  return {
    at: timeOf(record),
    cwd: cwdOf(record),
    branch: branchOf(record),
    branched: isBranched(record),
    model,
    tokens: tokensOf(usage),
    finished: stopReasonOf(record) !== undefined && record["isAbortedMidStream"] !== true,
    hasRequestId: asText(record["requestId"]) !== undefined,
    reportedMicroUsd: usd === undefined || usd < 0 ? undefined : usd * 1e6,
    modifiers: modifiersOf(usage["speed"], geo),
    webSearches: asTokens(asObject(usage["server_tool_use"])?.["web_search_requests"]),
  };
}

function modifiersOf(speed: unknown, geo: string | undefined): string[] {
  const modifiers: string[] = [];
  if (speed === "fast") modifiers.push("fast");
  if (geo !== undefined && geo !== "global") modifiers.push(`geo:${geo}`);
  return modifiers;
}

/** Cache writes are a sum; newer versions split them by lifetime. */
function tokensOf(usage: Json): TokenCounts {
  const split = asObject(usage["cache_creation"]);
  const cacheWrite1h = asTokens(split?.["ephemeral_1h_input_tokens"]);
  const output = asTokens(usage["output_tokens"]);
  return {
    input: asTokens(usage["input_tokens"]),
    cached: asTokens(usage["cache_read_input_tokens"]),
    cacheWrite: Math.max(
      asTokens(usage["cache_creation_input_tokens"]),
      cacheWrite1h + asTokens(split?.["ephemeral_5m_input_tokens"]),
    ),
    cacheWrite1h,
    output,
    thinking: Math.min(asTokens(asObject(usage["output_tokens_details"])?.["thinking_tokens"]), output),
  };
}

/** A larger sum in one session is a broken record. */
const MAX_USD = 1e9;

/** The running total of a process and those it resumed, in micro-dollars; undefined if incomplete. */
export function costState(record: ClaudeRecord): { startMs: number; byModel: Record<string, number> } | undefined {
  if (record["type"] !== "cost-state" || record["hasUnknownModelCost"] === true) return undefined;
  // Without a prototype, because model names come from the file.
  const byModel: Record<string, number> = Object.create(null);
  for (const [model, usage] of Object.entries(asObject(record["modelUsage"]) ?? {})) {
    const usd = asNumber(asObject(usage)?.["costUSD"]);
    if (usd === undefined || usd < 0 || usd >= MAX_USD) return undefined;
    byModel[model] = usd * 1e6;
  }
  return { startMs: asNumber(record["startTime"]) ?? 0, byModel };
}

/** A billing record of the documented layout. */
export function documentedCost(record: ClaudeRecord, index: number): UsageRecord | undefined {
  if (record["type"] !== "cost") return undefined;
  const cost = asObject(record["cost"]) ?? record;
  const usd = asNumber(cost["totalUsd"]) ?? asNumber(cost["costUsd"]) ?? asNumber(cost["usd"]);
  const at = timeOf(record);
  const thinking = asTokens(cost["thinkingTokens"]);
  return {
    key: asText(record["id"]) ?? `${sessionOf(record) ?? "cost"}#${index}@${at ?? 0}`,
    ...optional("at", at),
    ...optional("model", asText(record["model"])),
    tokens: {
      input: asTokens(cost["inputTokens"]),
      cached: asTokens(cost["cachedTokens"]),
      cacheWrite: asTokens(cost["cacheWriteTokens"]),
      cacheWrite1h: 0,
      output: Math.max(asTokens(cost["outputTokens"]), thinking),
      thinking,
    },
    ...(usd !== undefined && usd >= 0 ? { reportedMicroUsd: usd * 1e6 } : {}),
  };
}
