/**
 * Billed requests of a transcript. One reply is spread over several records that repeat its usage, some of them with
 * the small figures of the stream's start; the largest of each field is the bill.
 */
import { asNumber, asObject, asText, asTokens, type Json } from "../../lib/fields.ts";
import type { TokenCounts } from "../../core/cost.ts";
import type { UsageRecord } from "../adapter.ts";
import { modelOf, replyId, timeOf } from "./record.ts";

export class UsageCollector {
  readonly #byReply = new Map<string, Collected>();
  #someHaveRequestId = false;

  get size(): number {
    return this.#byReply.size;
  }

  /** Takes assistant records only. `subagent` names the helper that made the request. */
  see(record: Json, subagent?: string): void {
    const message = asObject(record["message"]);
    const usage = asObject(message?.["usage"]);
    const model = modelOf(record);
    if (usage === undefined || model === undefined || record["isApiErrorMessage"] === true) return;
    const hasRequestId = asText(record["requestId"]) !== undefined;
    if (hasRequestId) this.#someHaveRequestId = true;

    const key = replyId(record);
    const tokens = tokensOf(usage);
    const found = this.#byReply.get(key);
    if (found === undefined) {
      this.#byReply.set(key, {
        key,
        at: timeOf(record),
        model,
        tokens,
        finished: isFinished(record, message),
        hasRequestId,
        branched: record["forkedFrom"] !== undefined,
        subagent,
        cwd: asText(record["cwd"]),
        branch: asText(record["gitBranch"]),
        reportedMicroUsd: dollars(record),
        modifiers: modifiersOf(usage),
        webSearches: asTokens(asObject(usage["server_tool_use"])?.["web_search_requests"]),
      });
      return;
    }
    keepLargest(found.tokens, tokens);
    found.finished ||= isFinished(record, message);
    found.hasRequestId ||= hasRequestId;
    const reported = dollars(record);
    if (reported !== undefined) found.reportedMicroUsd = Math.max(found.reportedMicroUsd ?? 0, reported);
    // A side question replays the main line's reply; it was billed to the main line.
    if (found.subagent !== undefined && subagent === undefined) found.subagent = undefined;
  }

  /** `startedMs`: when the file itself was begun; what is dated earlier was copied in. */
  records(startedMs: number | undefined): UsageRecord[] {
    return [...this.#byReply.values()].map((collected) => this.#toRecord(collected, startedMs));
  }

  #toRecord(c: Collected, startedMs: number | undefined): UsageRecord {
    const predatesFile = startedMs !== undefined && c.at !== undefined && c.at < startedMs;
    // Resuming with 1.0.85 and older re-wrote history without request ids; only what was asked since has one.
    const copied =
      c.branched || predatesFile || (this.#someHaveRequestId && !c.hasRequestId && c.subagent === undefined);
    return {
      key: c.key,
      ...(c.at !== undefined ? { at: c.at } : {}),
      model: c.model,
      tokens: c.tokens,
      ...(c.reportedMicroUsd !== undefined ? { reportedMicroUsd: c.reportedMicroUsd } : {}),
      ...(c.finished ? {} : { lowerBound: true }),
      ...(copied ? { copied: true } : {}),
      ...(c.subagent !== undefined ? { subagent: c.subagent } : {}),
      ...(c.cwd !== undefined ? { cwd: c.cwd } : {}),
      ...(c.branch !== undefined ? { branch: c.branch } : {}),
      ...(c.modifiers.length > 0 ? { modifiers: c.modifiers } : {}),
      ...(c.webSearches > 0 ? { webSearches: c.webSearches } : {}),
    };
  }
}

interface Collected {
  key: string;
  at: number | undefined;
  model: string;
  tokens: TokenCounts;
  finished: boolean;
  hasRequestId: boolean;
  branched: boolean;
  subagent: string | undefined;
  cwd: string | undefined;
  branch: string | undefined;
  reportedMicroUsd: number | undefined;
  modifiers: string[];
  webSearches: number;
}

/** Blocks written while the stream ran have no stop reason; a reply none of whose records has one was cut off. */
function isFinished(record: Json, message: Json | undefined): boolean {
  return asText(message?.["stop_reason"]) !== undefined && record["isAbortedMidStream"] !== true;
}

export function tokensOf(usage: Json): TokenCounts {
  const split = asObject(usage["cache_creation"]);
  const cacheWrite1h = asTokens(split?.["ephemeral_1h_input_tokens"]);
  const cacheWrite = Math.max(
    asTokens(usage["cache_creation_input_tokens"]),
    cacheWrite1h + asTokens(split?.["ephemeral_5m_input_tokens"]),
  );
  const output = asTokens(usage["output_tokens"]);
  const thinking = asTokens(asObject(usage["output_tokens_details"])?.["thinking_tokens"]);
  return {
    input: asTokens(usage["input_tokens"]),
    cached: asTokens(usage["cache_read_input_tokens"]),
    cacheWrite,
    cacheWrite1h,
    output,
    thinking: Math.min(thinking, output),
  };
}

function keepLargest(into: TokenCounts, other: TokenCounts): void {
  for (const field of Object.keys(into) as (keyof TokenCounts)[]) into[field] = Math.max(into[field], other[field]);
}

/** Versions up to 1.0.0 wrote dollars on each reply. */
function dollars(record: Json): number | undefined {
  const usd = asNumber(record["costUSD"]);
  return usd === undefined || usd < 0 ? undefined : usd * 1e6;
}

function modifiersOf(usage: Json): string[] {
  const modifiers: string[] = [];
  if (usage["speed"] === "fast") modifiers.push("fast");
  const geo = asText(usage["inference_geo"]);
  if (geo !== undefined && geo !== "global") modifiers.push(`geo:${geo}`);
  return modifiers;
}
