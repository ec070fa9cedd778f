/** Fields that ask about the session as a whole. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { SessionField } from "./query.ts";
import { holds } from "./phrase.ts";

export interface SearchFacts {
  agent: string;
  title: string;
  cwd: string | undefined;
  branch: string | undefined;
  createdMs: number;
  updatedMs: number;
  /** Every model known to have answered in it. */
  models: readonly string[];
}

export function factsOf(agent: string, source: SessionSource, head: SessionHead): SearchFacts {
  const updatedMs = head.updatedMs ?? source.updatedMs;
  return {
    agent,
    title: oneLine(head.title),
    cwd: head.cwd,
    branch: head.branch,
    createdMs: head.createdMs ?? updatedMs,
    updatedMs,
    models: head.model === undefined ? [] : [head.model],
  };
}

/** `after` and `before` hold for a session that was alive then: it ended later, or began earlier. */
export function isSo(test: SessionField, facts: SearchFacts): boolean {
  if ("ms" in test) return test.field === "after" ? facts.updatedMs >= test.ms : facts.createdMs < test.ms;
  const value = facts[test.field === "model" ? "models" : test.field] ?? [];
  const values = typeof value === "string" ? [value] : value;
  return test.anyOf.some((sequence) => values.some((text) => holds(text, sequence)));
}
