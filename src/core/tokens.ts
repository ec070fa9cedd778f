/** Token counts of requests, and the names under which sums of them are reported. */
import type { TokenCounts, TokenFigures } from "./cost.ts";

export const NO_TOKENS: Readonly<TokenCounts> = {
  input: 0,
  cached: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  output: 0,
  thinking: 0,
};

export function addTokens(sum: TokenCounts, more: Readonly<TokenCounts>): TokenCounts {
  sum.input += more.input;
  sum.cached += more.cached;
  sum.cacheWrite += more.cacheWrite;
  sum.cacheWrite1h += more.cacheWrite1h;
  sum.output += more.output;
  sum.thinking += more.thinking;
  return sum;
}

/** What is left of a sum without its parts; none if they exceed it. */
export function tokensWithout(sum: Readonly<TokenCounts>, parts: Iterable<Readonly<TokenCounts>>): TokenCounts {
  const left = { ...sum };
  for (const part of parts)
    for (const kind of Object.keys(left) as (keyof TokenCounts)[]) left[kind] = Math.max(0, left[kind] - part[kind]);
  return left;
}

export function figuresOf(tokens: Readonly<TokenCounts>): TokenFigures {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    thinkingTokens: tokens.thinking,
    cachedTokens: tokens.cached,
    cacheWriteTokens: tokens.cacheWrite,
    cacheWrite1hTokens: tokens.cacheWrite1h,
  };
}

/** Figures that are left out are 0. */
export function tokensIn({
  inputTokens,
  outputTokens,
  thinkingTokens = 0,
  cachedTokens = 0,
  cacheWriteTokens = 0,
  cacheWrite1hTokens = 0,
}: Pick<TokenFigures, "inputTokens" | "outputTokens"> & Partial<TokenFigures>): TokenCounts {
  return {
    input: inputTokens,
    cached: cachedTokens,
    cacheWrite: cacheWriteTokens,
    cacheWrite1h: cacheWrite1hTokens,
    output: outputTokens,
    thinking: thinkingTokens,
  };
}
