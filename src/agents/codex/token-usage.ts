/**
 * Which records bill a request, and how much. Newer versions write a token_usage_record for each response.
 * Older ones, and newer ones beside it, write token_count events with a running total and the last request's
 * counts; versions 0.44 to 0.128 write each twice, and a thread of theirs that a newer one resumed has both kinds.
 * The rule: every token_usage_record; a token_count only if its total has changed and no
 * token_usage_record came since the one before it.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { asObject, asText, asTokens, type Json } from "../../lib/fields.ts";
import type { RolloutRecord } from "./rollout-record.ts";

export interface BilledRequest {
  tokens: TokenCounts;
  /** Set when the service named the response. */
  responseId?: string;
  /** Tells requests of one turn apart when it did not: the total after them. */
  total: string;
  /** The thread that made it, where the record tells. */
  threadId?: string;
}

export class UsageCounter {
  /** A file that continues another begins with repeats of that one's totals; its own requests all have records. */
  readonly #recordsOnly: boolean;
  #lastTotal = "";
  #recordSinceTotal = false;
  #replySeen = false;

  constructor(recordsOnly: boolean) {
    this.#recordsOnly = recordsOnly;
  }

  /** The request a record bills. `descends`: the thread started with another one's running total. */
  take(record: RolloutRecord, descends: boolean): BilledRequest | undefined {
    if (record.type === "token_usage_record") return this.#takeRecord(record.payload);
    if (record.type === "event_msg/token_count") return this.#takeCount(record.payload, descends);
    if (record.type.startsWith("response_item/")) {
      this.#replySeen ||= !record.type.endsWith("/message") || record.role === "assistant";
      if (record.bare && record.type === "response_item/message") return usageOfMessage(record.payload);
    }
    return undefined;
  }

  #takeRecord(payload: Json): BilledRequest | undefined {
    this.#recordSinceTotal = true;
    const responseId = asText(payload["response_id"]);
    const threadId = asText(payload["thread_id"]);
    return billed(asObject(payload["usage"]), {
      total: totalOf(asObject(payload["thread_token_usage"])),
      ...(responseId === undefined ? {} : { responseId }),
      ...(threadId === undefined ? {} : { threadId }),
    });
  }

  #takeCount(payload: Json, descends: boolean): BilledRequest | undefined {
    const info = asObject(payload["info"]);
    if (info === undefined) return undefined;
    const total = totalOf(asObject(info["total_token_usage"]));
    // Without a total nothing tells a repetition, and no known version repeats such counts.
    const repeated = (total === this.#lastTotal && total !== "") || this.#recordSinceTotal;
    this.#lastTotal = total;
    this.#recordSinceTotal = false;
    // A fork that inherits only the total may repeat its parent's last request before it makes its own.
    if (repeated || this.#recordsOnly || (descends && !this.#replySeen)) return undefined;
    return billed(asObject(info["last_token_usage"]), { total });
  }
}

function billed(usage: Json | undefined, request: Omit<BilledRequest, "tokens">): BilledRequest | undefined {
  const tokens = tokensOf(usage ?? {});
  return tokens.input + tokens.cached + tokens.cacheWrite + tokens.output > 0 ? { ...request, tokens } : undefined;
}

/** `input_tokens` includes what was read from and written to the cache, `output_tokens` the reasoning. */
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
  const input = `${asTokens(usage["input_tokens"])}-${asTokens(usage["cached_input_tokens"])}`;
  return `${input}-${asTokens(usage["output_tokens"])}-${asTokens(usage["reasoning_output_tokens"])}`;
}

/** The documented layout has counts on the message itself, under either of the service's two sets of names. */
function usageOfMessage(message: Json): BilledRequest | undefined {
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
