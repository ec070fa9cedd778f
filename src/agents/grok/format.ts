/** Names of the fields and record types in Grok Build's files: `updates.jsonl`, `summary.json`, `usage.json`. */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber, asObject, asObjects, asString, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";

export const UPDATES_FILE = "updates.jsonl";
export const SUMMARY_FILE = "summary.json";
/** Holds a folder per sub-agent, named after its session. */
export const SUBAGENTS_FOLDER = "subagents";

/** A line of `updates.jsonl`: a session update of the Agent Client Protocol, or one of Grok Build's own. */
export interface Update {
  kind: string;
  fields: Json;
  at?: number;
  /** Begins with the id of the session that wrote it first. */
  eventId?: string;
  promptId?: string;
  /** When the model began to answer: the same for all pieces of a reply. */
  replyMs?: number;
}

export function updateIn(record: Json): Update | undefined {
  const params = asObject(record["params"]);
  const fields = asObject(params?.["update"]);
  const kind = asText(fields?.["sessionUpdate"]);
  if (fields === undefined || kind === undefined) return undefined;
  const meta = asObject(params?.["_meta"]) ?? {};
  return {
    kind,
    fields,
    ...optional("at", asTime(meta["agentTimestampMs"]) ?? asTime(record["timestamp"])),
    ...optional("eventId", asText(meta["eventId"])),
    ...optional("promptId", asText(meta["promptId"])),
    ...optional("replyMs", asNumber(meta["streamStartMs"])),
  };
}

export const PROMPT = "user_message_chunk";
export const ANSWER = "agent_message_chunk";
export const THOUGHT = "agent_thought_chunk";
export const TOOL_CALL = "tool_call";
export const TOOL_UPDATE = "tool_call_update";
export const TURN_END = "turn_completed";
export const SUBAGENT_END = "subagent_finished";
export const COMPACTED = "auto_compact_completed";
export const REWIND = "rewind_marker";

/** Updates without a part in the conversation. */
export const SILENT: ReadonlySet<string> = new Set([
  "available_commands_update",
  "config_option_update",
  "current_mode_update",
  "plan",
  "session_info_update",
  "usage_update",
  "auto_compact_started",
  "auto_compact_failed",
  "auto_compact_cancelled",
  "background_tasks",
  "compaction_checkpoint",
  "retry_state",
  "subagent_spawned",
  "subagent_progress",
  "hook_execution",
  "image_dropped",
  "memory_flush_started",
  "memory_flush_completed",
  "pending_interaction",
  "interaction_resolved",
  "session_recap",
]);

/** Text of a content block; a picture or file is named. */
export function textOf(block: Json | undefined): string {
  const text = asString(block?.["text"]);
  if (text !== undefined) return text;
  const type = asText(block?.["type"]);
  return type === undefined ? "" : `[${type}]`;
}

export function contentOf({ fields }: Update): Json | undefined {
  return asObject(fields["content"]);
}

export function imageIn(block: Json | undefined): { mediaType: string; data: string } | undefined {
  const [mediaType, data] = [asText(block?.["mimeType"]), asText(block?.["data"])];
  return block?.["type"] === "image" && mediaType !== undefined && data !== undefined ? { mediaType, data } : undefined;
}

/** Facts of a prompt: the model that will answer, and which prompt it is. */
export function promptFacts({ fields }: Update): { model: string | undefined; index: number | undefined } {
  const meta = asObject(fields["_meta"]);
  return { model: asText(meta?.["modelId"]), index: asNumber(meta?.["promptIndex"]) };
}

/** The prompt before which the conversation goes on. */
export function rewindTarget({ fields }: Update): number | undefined {
  return asNumber(fields["target_prompt_index"]);
}

interface ToolStart {
  id: string;
  name: string;
  input: unknown;
}

export function toolStart({ fields }: Update): ToolStart | undefined {
  const id = asText(fields["toolCallId"]);
  if (id === undefined) return undefined;
  const tool = asObject(asObject(fields["_meta"])?.["x.ai/tool"]);
  return { id, name: asText(tool?.["name"]) ?? asText(fields["title"]) ?? "tool", input: fields["rawInput"] };
}

interface ToolEnd {
  id: string;
  output: unknown;
  isError: boolean;
}

/** Undefined while the tool runs. */
export function toolEnd({ fields }: Update): ToolEnd | undefined {
  const id = asText(fields["toolCallId"]);
  const status = fields["status"];
  if (id === undefined || (status !== "completed" && status !== "failed")) return undefined;
  return { id, output: outputOf(fields), isError: status === "failed" };
}

/** What the model was told, where the record says so; otherwise what the user was shown. */
function outputOf(fields: Json): unknown {
  const raw = asObject(fields["rawOutput"]);
  for (const part of [raw, ...Object.values(raw ?? {}).map(asObject)]) {
    const told = asText(part?.["output_for_prompt"]) ?? asText(part?.["tool_output_for_prompt"]);
    if (told !== undefined) return told;
  }
  const shown = asObjects(asObjects(fields["content"]).map((part) => part["content"]));
  return shown.length > 0 ? shown.map(textOf).join("\n") : (raw ?? "");
}

interface TurnEnd {
  promptId: string | undefined;
  /** Why the turn failed. */
  error: string | undefined;
  /** The user interrupted it. Then it has no bill. */
  isCancelled: boolean;
  bill: { model: string; tokens: TokenCounts; microUsd?: number }[];
}

export function turnEnd({ fields }: Update): TurnEnd {
  const bill = Object.entries(asObject(asObject(fields["usage"])?.["modelUsage"]) ?? {}).flatMap(([model, counts]) => {
    const usage = asObject(counts);
    if (usage === undefined) return [];
    const isExact = usage["costIsPartial"] !== true;
    return [{ model, tokens: tokensIn(usage), ...optional("microUsd", isExact ? microUsdIn(usage) : undefined) }];
  });
  return {
    promptId: asText(fields["prompt_id"]),
    error: fields["stop_reason"] === "error" ? (asText(fields["agent_result"]) ?? "The turn failed.") : undefined,
    isCancelled: fields["stop_reason"] === "cancelled",
    bill,
  };
}

/** Input includes what came from the cache, output includes reasoning. */
function tokensIn(usage: Json): TokenCounts {
  const [cached, cacheWrite] = [asTokens(usage["cachedReadTokens"]), asTokens(usage["cacheCreationTokens"])];
  const output = asTokens(usage["outputTokens"]);
  return {
    input: Math.max(0, asTokens(usage["inputTokens"]) - cached - cacheWrite),
    cached,
    cacheWrite,
    cacheWrite1h: 0,
    output,
    thinking: Math.min(output, asTokens(usage["reasoningTokens"])),
  };
}

/** xAI bills in ticks, of which a dollar has 10^10. */
const TICKS_PER_MICRO_DOLLAR = 1e4;

function microUsdIn(usage: Json): number | undefined {
  const ticks = asNumber(usage["costUsdTicks"]);
  return ticks === undefined || ticks < 0 ? undefined : ticks / TICKS_PER_MICRO_DOLLAR;
}

/** The session of a sub-agent that ended. */
export function endedSubagent({ fields }: Update): string | undefined {
  return asText(fields["child_session_id"]) ?? asText(fields["subagent_id"]);
}

/** What `summary.json` says. */
export function summaryFacts(summary: Json): Partial<SessionHead> & { isFork: boolean } {
  return {
    ...optional("title", asText(summary["generated_title"]) ?? asText(summary["session_summary"])),
    ...optional("cwd", asText(asObject(summary["info"])?.["cwd"])),
    ...optional("createdMs", asTime(summary["created_at"])),
    ...optional("updatedMs", asTime(summary["last_active_at"]) ?? asTime(summary["updated_at"])),
    ...optional("branch", asText(summary["head_branch"])),
    ...optional("commit", asText(summary["head_commit"])),
    ...optional("forkedFrom", asText(summary["parent_session_id"])),
    isFork: summary["forked_at"] !== undefined,
  };
}
