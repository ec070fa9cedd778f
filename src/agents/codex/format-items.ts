/** Fields of rollout items: turns, messages, tools, usage. Only this file and format.ts name fields. */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionImage, SessionToolCall } from "../../core/session.ts";
import { asArray, asNumber, asObject, asString, asText, asTokens, type Json } from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { picturesOf } from "../shared/pictures.ts";
import { KIND } from "./format.ts";

export const turnIdOf = (payload: Json): string | undefined => asText(payload["turn_id"]);
export const modelIn = (payload: Json): string | undefined => asText(payload["model"]);
export const cwdIn = (payload: Json): string | undefined => asText(payload["cwd"]);
/** The number of rewound turns. */
export const turnsTakenBack = (payload: Json): number => asNumber(payload["num_turns"]) ?? 0;
/** Searching is billed; opening a found page is not. */
export function isSearch(webSearch: Json): boolean {
  const action = asObject(webSearch["action"])?.["type"];
  return action === undefined || action === "search";
}

/** Written since 2026, and usually absent; older files do not have the tier. */
export const tierIn = (applied: Json): string | undefined =>
  asText(asObject(applied["thread_settings"])?.["service_tier"]);

/** Why a turn ended, an error, a summary, the subject of a review. */
export const reasonOf = (aborted: Json): string | undefined => asText(aborted["reason"]);
export const errorIn = (complete: Json): string | undefined => asText(asObject(complete["error"])?.["message"]);
/** Often the service's raw JSON. */
export const serviceError = (error: Json | undefined): unknown => asObject(error?.["error"])?.["message"];
export const messageIn = (payload: Json): string | undefined => asString(payload["message"]);
export const reviewOf = (payload: Json): string | undefined =>
  asText(asObject(payload["item"])?.["review"]) ?? asText(payload["user_facing_hint"]);

/** For a prompt's event. Up to about 0.44 insertions were user messages too, of another kind. */
export function promptEvent(event: Json): { isTyped: boolean; text: string; pictures: number } {
  const count = (name: string): number => asArray(event[name])?.length ?? 0;
  return {
    isTyped: (event["kind"] ?? "plain") === "plain",
    text: messageIn(event) ?? "",
    pictures: count("images") + count("local_images"),
  };
}

/** Images of a prompt: parts of an item, or an event's list of addresses. */
export function picturesIn(payload: Json): { images?: SessionImage[] } {
  return picturesOf(payload["content"] ?? (asArray(payload["images"]) ?? []).map((image_url) => ({ image_url })));
}

export const contentOf = (message: Json): unknown => message["content"];
export const contentOfItem = (event: Json): unknown => asObject(event["item"])?.["content"];
export const authorOf = (message: Json): unknown => message["author"];

/** The kinds of a message's parts, if Codex records them. */
export function contentKinds(message: Json): unknown[] | undefined {
  return asArray(asObject(message["internal_chat_message_metadata_passthrough"])?.["content_item_kinds"]);
}

/** The text of a part in any notation; images are named. */
export function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const fields = asObject(part);
  if (fields?.["text"] !== undefined) return asString(fields["text"]) ?? "";
  return isPicture(fields) ? IMAGE : "";
}

export const IMAGE = "[image]";

function isPicture(part: Json | undefined): boolean {
  return /image/.test(asText(part?.["type"]) ?? "");
}

/** Parts of a message between agents that are, or may be, encrypted. */
export function encryptedParts(message: Json): string[] {
  return (asArray(message["content"]) ?? []).flatMap((part) => asText(asObject(part)?.["encrypted_content"]) ?? []);
}

/** The visible text of a reasoning item; none if it is only encrypted. */
export function thinkingOf(item: Json): string[] {
  const entries = [...(asArray(item["summary"]) ?? []), ...(asArray(item["content"]) ?? [])];
  return entries.flatMap((entry) => asText(asObject(entry)?.["text"]) ?? []);
}

/** A tool call. `number` replaces a missing id. */
export function toolCallOf(type: string, item: Json, number: number): SessionToolCall {
  const toolCallId = callIdOf(item) ?? asText(item["id"]) ?? `call-${number}`;
  const toolName = asText(item["name"]) ?? type.replace(/^.*\//, "").replace(/_call$/, "");
  return { toolCallId, toolName, input: inputOf(type, item) };
}

export const callIdOf = (item: Json): string | undefined => asText(item["call_id"]);

function inputOf(type: string, item: Json): unknown {
  switch (type) {
    case KIND.functionCall:
      // A call may be cut off in its arguments.
      return jsonOrText(item["arguments"]);
    case KIND.toolSearch:
      return item["arguments"];
    case KIND.shellCall:
    case KIND.webSearch:
      return item["action"];
    case KIND.imageCall:
      return { revised_prompt: item["revised_prompt"] };
    default:
      // Free text: a patch, or in code mode the script that calls the real tools.
      return item["input"];
  }
}

/** The output of a tool, and whether it reports a failure. */
export function outputOf(payload: Json): { output: unknown; hasFailed?: boolean } {
  const output = payload["output"] ?? payload["tools"];
  const object = asObject(output);
  return object ? { output: object["content"] ?? object, hasFailed: object["success"] === false } : { output };
}

/** A part of an output: images by kind, everything else (such as tools found by a search) as JSON. */
export function outputPart(part: unknown): string {
  const fields = asObject(part);
  return asString(part) ?? asString(fields?.["text"]) ?? (isPicture(fields) ? IMAGE : JSON.stringify(fields ?? null));
}

export const WRAPPED_START = '{"output":';

/** Up to 0.58: `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}` in a string. */
export function wrappedOutput(result: Json): { text: string; isError: boolean; durationMs?: number } | undefined {
  const text = asString(result["output"]);
  const metadata = asObject(result["metadata"]);
  if (text === undefined || metadata === undefined) return undefined;
  const seconds = asNumber(metadata["duration_seconds"]);
  return {
    text,
    isError: (asNumber(metadata["exit_code"]) ?? 0) !== 0,
    ...(seconds === undefined ? {} : { durationMs: Math.round(seconds * 1000) }),
  };
}

/** For an item that reports the result of a call. */
export function timesOf(event: Json): { callId: string; durationMs: number | undefined; hasFailed: boolean } {
  const item = asObject(event["item"]);
  const [started, completed] = [asNumber(event["started_at_ms"]), asNumber(event["completed_at_ms"])];
  return {
    callId: asText(item?.["id"]) ?? "",
    durationMs: started === undefined || completed === undefined ? undefined : completed - started,
    hasFailed: item?.["status"] === "failed" || item?.["status"] === "declined",
  };
}

/** A request that a record bills. */
export interface BilledRequest {
  tokens: TokenCounts;
  /** Set if the service gave a response id. */
  responseId?: string;
  /** Otherwise distinguishes requests of one turn: the total after them, or empty. */
  total: string;
  /** The thread that made it, if recorded. */
  threadId?: string;
}

/** The request of a `token_usage_record`. */
export function recordedUsage(payload: Json): BilledRequest | undefined {
  const responseId = asText(payload["response_id"]);
  const threadId = asText(payload["thread_id"]);
  return billed(asObject(payload["usage"]), {
    total: totalOf(asObject(payload["thread_token_usage"])),
    ...(responseId === undefined ? {} : { responseId }),
    ...(threadId === undefined ? {} : { threadId }),
  });
}

/** For a `token_count`; undefined without counts. */
export function countIn(payload: Json): { total: string; request: BilledRequest | undefined } | undefined {
  const info = asObject(payload["info"]);
  if (info === undefined) return undefined;
  const total = totalOf(asObject(info["total_token_usage"]));
  return { total, request: billed(asObject(info["last_token_usage"]), { total }) };
}

export type LimitFields = ReturnType<typeof limitIn>;

/** Limits of the account beside a token count; undefined where the service sends none, as for API keys. */
export function limitsIn(payload: Json): { plan: string | undefined; windows: LimitFields[] } | undefined {
  const limits = asObject(payload["rate_limits"]);
  return (
    limits && {
      plan: asText(limits["plan_type"]),
      windows: ["primary", "secondary"].map((name) => limitIn(limits[name])),
    }
  );
}

function limitIn(window: unknown) {
  const fields = asObject(window);
  return {
    usedPercent: asNumber(fields?.["used_percent"]),
    minutes: asNumber(fields?.["window_minutes"]),
    resetsAt: fields?.["resets_at"],
    /** In older versions. */
    resetsInSeconds: asNumber(fields?.["resets_in_seconds"]),
  };
}

/** The text of a refusal because of a limit: in the end of a turn since 0.166, before in an event of its own. */
export function limitRefusalIn(type: string, payload: Json): string | undefined {
  const error = type === KIND.error ? payload : asObject(payload["error"]);
  return error?.["codex_error_info"] === "usage_limit_exceeded" ? (asText(error["message"]) ?? "") : undefined;
}

/** The documented layout has counts on the message itself, under either of the service's two sets of names. */
export function usageOfMessage(message: Json): BilledRequest | undefined {
  const usage = asObject(message["usage"]);
  if (usage === undefined) return undefined;
  const inputDetails = asObject(usage["input_tokens_details"] ?? usage["prompt_tokens_details"]);
  const outputDetails = asObject(usage["output_tokens_details"] ?? usage["completion_tokens_details"]);
  const responseId = asText(message["id"]);
  return billed(
    {
      input_tokens: usage["input_tokens"] ?? usage["prompt_tokens"],
      cached_input_tokens: usage["cached_input_tokens"] ?? inputDetails?.["cached_tokens"],
      output_tokens: usage["output_tokens"] ?? usage["completion_tokens"],
      reasoning_output_tokens: usage["reasoning_output_tokens"] ?? outputDetails?.["reasoning_tokens"],
    },
    { total: "", ...(responseId === undefined ? {} : { responseId }) },
  );
}

function billed(usage: Json | undefined, request: Omit<BilledRequest, "tokens">): BilledRequest | undefined {
  const tokens = tokensOf(usage ?? {});
  return tokens.input + tokens.cached + tokens.cacheWrite + tokens.output > 0 ? { ...request, tokens } : undefined;
}

/** `input_tokens` includes cache reads and writes, `output_tokens` includes reasoning. */
function tokensOf(usage: Json): TokenCounts {
  const input = asTokens(usage["input_tokens"]);
  const cached = Math.min(asTokens(usage["cached_input_tokens"]), input);
  const cacheWrite = Math.min(asTokens(usage["cache_write_input_tokens"]), input - cached);
  const output = asTokens(usage["output_tokens"]);
  const thinking = Math.min(asTokens(usage["reasoning_output_tokens"]), output);
  return { input: input - cached - cacheWrite, cached, cacheWrite, cacheWrite1h: 0, output, thinking };
}

function totalOf(usage: Json | undefined): string {
  if (usage === undefined) return "";
  return ["input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens"]
    .map((name) => asTokens(usage[name]))
    .join("-");
}
