/**
 * BM25 over the passages of a session, from figures that both the index and a reading of the session give: in how many
 * passages the words of a leaf stand, and how long the session is. So the order is the same with and without an index.
 *
 * How rare a word is in all sessions plays no part: without an index that is not known of sessions that were not read.
 * Among sessions that all hold every word it would only weigh the words against each other.
 */
import type { Plan } from "./plan.ts";

/** Saturation and length norm, at their usual values. */
const K1 = 1.2;
const B = 0.75;
/** Words of a session of middling length; longer ones need more passages for the same score. */
const TYPICAL_LENGTH = 10_000;
/** A word in the title weighs as much as one in this many passages. */
export const TITLE_WEIGHT = 3;

export function scoreOf(plan: Plan, passagesOf: (leaf: number) => number, length: number): number {
  const norm = K1 * (1 - B + (B * length) / TYPICAL_LENGTH);
  let score = 0;
  for (const [index, leaf] of plan.leaves.entries()) {
    if (leaf.kind !== "text" || !leaf.wanted) continue;
    const count = passagesOf(index);
    if (count > 0) score += (count * (K1 + 1)) / (count + norm);
  }
  return score;
}
