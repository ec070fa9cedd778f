/** What a session was billed for. Its total tells its own answers from copied ones, and has those that a compaction removed. */
import type { TokenCounts } from "../../core/cost.ts";
import { optional } from "../../lib/values/optional.ts";
import { sha256 } from "../../lib/values/sha256.ts";
import type { UsageRecord } from "../adapter.ts";
import { mostUsed } from "../shared/model-uses.ts";
import type { Item, Total } from "./format.ts";

type Answer = Item & { tokens: TokenCounts };

const isAnswer = (item: Item): item is Answer => item.tokens !== undefined;

/** The conversation up to its first billed answer, with that answer's tokens. Copies have the same; so may others. */
export function familyKey(items: readonly Item[]): string | undefined {
  const first = items.findIndex(isAnswer);
  if (first === -1) return undefined;
  return sha256(JSON.stringify(items.slice(0, first + 1).map(({ role, content, tokens }) => [role, content, tokens])));
}

/** How many answers are copies: a copy begins with a total of 0, so only the last ones are in it. */
export function copiedIn(items: readonly Item[], total: Total | undefined): number {
  return items.filter(isAnswer).length - ownOf(items, total).length;
}

/** What is new in a copy begins with a prompt. The total also has the sub-agents' tokens, which may be as many as a copied answer's. */
function ownOf(items: readonly Item[], total: Total | undefined): readonly Answer[] {
  if (total === undefined) return items.filter(isAnswer);
  let [first, { input, output }] = [items.length, total];
  for (const [index, item] of [...items.entries()].reverse()) {
    if (isAnswer(item)) {
      input -= inputOf(item.tokens);
      output -= item.tokens.output;
    }
    if (input < 0 || output < 0) break;
    if (index === 0 || item.role === "user") first = index;
  }
  return items.slice(first).filter(isAnswer);
}

/** Answers have no id and no time. The total does not say which of its tokens were cached. */
export function usageOf(
  items: readonly Item[],
  total: Total | undefined,
  sessionId: string,
  at: number,
): UsageRecord[] {
  const own = ownOf(items, total);
  const billed = own.map(({ tokens, model }, index) => ({
    key: `${sessionId} ${index}`,
    at,
    tokens,
    ...optional("model", model),
  }));
  const input = (total?.input ?? 0) - sumOf(own, inputOf);
  const output = (total?.output ?? 0) - sumOf(own, (tokens) => tokens.output);
  if (input <= 0 || output < 0) return billed;
  const tokens = { input, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output, thinking: 0 };
  const model = mostUsed(items.map((item) => item.model));
  return [{ key: `${sessionId} removed`, at, tokens, ...optional("model", model) }, ...billed];
}

function inputOf({ input, cached, cacheWrite }: TokenCounts): number {
  return input + cached + cacheWrite;
}

function sumOf(answers: readonly Answer[], count: (tokens: TokenCounts) => number): number {
  return answers.reduce((sum, { tokens }) => sum + count(tokens), 0);
}
