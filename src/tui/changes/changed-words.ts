/** Which parts of two versions of a line differ, word by word. */
import { commonPositions } from "../../lib/values/lcs.ts";

/** From and to, in characters. */
export type Span = readonly [from: number, to: number];

/** Longer lines are generated; comparing them would take long and help nobody. */
const MAX_WORDS = 300;
/** Below this share of common text the lines have nothing to do with each other. */
const MIN_COMMON = 0.3;

const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** Undefined if the lines are equal, too different, or too long. */
export function changedWords(before: string, after: string): { before: Span[]; after: Span[] } | undefined {
  if (before === after) return undefined;
  const a = before.match(WORD) ?? [];
  const b = after.match(WORD) ?? [];
  if (a.length > MAX_WORDS || b.length > MAX_WORDS) return undefined;
  const common = commonPositions<string>(a, b);
  const shared = common.reduce((sum, [at]) => sum + (a[at]?.trim().length ?? 0), 0);
  const most = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (shared < most * MIN_COMMON) return undefined;
  return {
    before: spans(a, new Set(common.map(([at]) => at))),
    after: spans(b, new Set(common.map(([, at]) => at))),
  };
}

/** The words that are not common, adjacent ones together. */
function spans(words: readonly string[], common: ReadonlySet<number>): Span[] {
  const found: Span[] = [];
  let from = 0;
  for (const [at, word] of words.entries()) {
    const to = from + word.length;
    const last = found.at(-1);
    if (!common.has(at)) {
      if (last?.[1] === from) found[found.length - 1] = [last[0], to];
      else found.push([from, to]);
    }
    from = to;
  }
  return found;
}
