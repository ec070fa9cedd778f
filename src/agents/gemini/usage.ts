/** Token counts of one model call, in amux's words. */
import type { TokenCounts } from "../../core/cost.ts";
import type { TokenUsage } from "../../core/session.ts";
import { asNumber, asObject, asTokens, type Json } from "../../lib/fields.ts";

/** `tokens` of a reply; undefined when the program wrote none. */
export function tokensOf(record: Json): TokenCounts | undefined {
  const tokens = asObject(record["tokens"]);
  if (tokens === undefined) return undefined;
  const input = asTokens(tokens["input"]);
  const cached = asTokens(tokens["cached"]);
  const thinking = asTokens(tokens["thoughts"]);
  // Results of the vendor's own tools, put into the prompt: input.
  const tool = asTokens(tokens["tool"]);
  const output = asTokens(tokens["output"]) + thinking;
  const fresh = inputHoldsCached(asNumber(tokens["total"]), input + output + tool, cached, input)
    ? input - cached
    : input;
  return { input: fresh + tool, cached, cacheWrite: 0, cacheWrite1h: 0, output, thinking };
}

/**
 * Whether `input` counts the cached tokens too. It does in everything recorded so far; other tools' records of
 * this format do it the other way, and the total tells which it is.
 */
function inputHoldsCached(total: number | undefined, sum: number, cached: number, input: number): boolean {
  if (cached > input) return false;
  return total !== sum + cached || cached === 0;
}

/** The API's own names for the same counts, as the documented layout has them. */
export function tokensFromMetadata(metadata: Json): Json {
  return {
    input: metadata["promptTokenCount"],
    output: metadata["candidatesTokenCount"],
    cached: metadata["cachedContentTokenCount"],
    thoughts: metadata["thoughtsTokenCount"],
    tool: metadata["toolUsePromptTokenCount"],
    total: metadata["totalTokenCount"],
  };
}

export function tokenUsage(tokens: TokenCounts): TokenUsage {
  const usage: TokenUsage = { inputTokens: tokens.input, outputTokens: tokens.output };
  if (tokens.thinking > 0) usage.thinkingTokens = tokens.thinking;
  if (tokens.cached > 0) usage.cachedTokens = tokens.cached;
  return usage;
}
