/**
 * A query prepared for matching: its leaves, which are looked up one by one, and how their answers combine.
 * An answer may be unknown: bytes and index can only exclude a session, and reading it decides.
 */
import type { MessageField, Query, Sequence, SessionField } from "./query.ts";

interface TextLeaf {
  kind: "text";
  text: Sequence;
  within: readonly MessageField[];
  /** Not under a `not`, so it is highlighted. */
  wanted: boolean;
}

export type Leaf =
  | TextLeaf
  | { kind: "message"; within: readonly MessageField[] }
  | { kind: "session"; test: SessionField };

export type Node = { op: "all" | "any"; of: readonly Node[] } | { op: "not"; of: Node } | { op: "leaf"; leaf: number };

export interface Plan {
  leaves: readonly Leaf[];
  root: Node;
}

export function planOf(query: Query): Plan {
  const leaves: Leaf[] = [];
  return { root: nodeOf(query, [], true, leaves), leaves };
}

function nodeOf(query: Query, within: readonly MessageField[], wanted: boolean, leaves: Leaf[]): Node {
  const leaf = (added: Leaf): Node => ({ op: "leaf", leaf: leaves.push(added) - 1 });
  switch (query.kind) {
    case "text":
      return leaf({ kind: "text", text: query.text, within, wanted });
    case "session":
      return leaf({ kind: "session", test: query.test });
    case "not":
      return { op: "not", of: nodeOf(query.of, within, !wanted, leaves) };
    case "any":
      return { op: "any", of: query.of.map((branch) => nodeOf(branch, within, wanted, leaves)) };
    case "all": {
      const inner = [...within, ...query.within];
      const of = query.of.map((part) => nodeOf(part, inner, wanted, leaves));
      if (query.within.length > 0) of.push(leaf({ kind: "message", within: inner }));
      return { op: "all", of };
    }
  }
}

/** Ordered so that "all" is the minimum and "any" the maximum of the answers. */
export const NO = 0;
export const MAYBE = 1;
export const YES = 2;
export type Answer = typeof NO | typeof MAYBE | typeof YES;

/** Leaves are evaluated only while they can affect the result. */
export function answerOf(node: Node, ask: (leaf: number) => Answer): Answer {
  switch (node.op) {
    case "leaf":
      return ask(node.leaf);
    case "not":
      return (YES - answerOf(node.of, ask)) as Answer;
    default: {
      const stop = node.op === "all" ? NO : YES;
      let answer: Answer = node.op === "all" ? YES : NO;
      for (const part of node.of) {
        const given = answerOf(part, ask);
        answer = node.op === "all" ? (Math.min(answer, given) as Answer) : (Math.max(answer, given) as Answer);
        if (answer === stop) break;
      }
      return answer;
    }
  }
}

/** BM25 saturation and length norm, at their usual values. */
const K1 = 1.2;
const B = 0.75;
/** Words of an average session; longer ones need more passages for the same score. */
const TYPICAL_LENGTH = 10_000;
/** A word in the title counts as much as in this many passages. */
export const TITLE_WEIGHT = 3;

/**
 * BM25 over a session's passages, without inverse document frequency: only the index knows that, and the order must be the
 * same without an index.
 */
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
