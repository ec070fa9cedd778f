/**
 * The relation of a session to its parent. One column stands for four relations: marks distinguish them or, in older
 * databases, how the parent ended.
 */
import type { SessionFields } from "./format.ts";

export interface Lineage {
  /** `branch` and `compression` begin with copies of the parent's messages; `reset` begins empty. */
  relation: "branch" | "compression" | "reset" | "delegate";
  parent: string;
}

const RESET_REASONS = new Set([
  "session_reset",
  "session_switch",
  "idle",
  "daily",
  "suspended",
  "resume_pending_expired",
]);

export function lineageOf(session: SessionFields): Lineage | undefined {
  const { marked, parent } = session;
  for (const relation of ["delegate", "branch", "reset"] as const) {
    const from = marked[relation];
    if (from !== undefined) return { relation, parent: from };
  }
  return parent === undefined ? undefined : { relation: unmarkedRelation(session), parent };
}

function unmarkedRelation(session: SessionFields): Lineage["relation"] {
  if (session.isSubagent) return "delegate";
  const ended = session.parentEndReason ?? "";
  if (ended === "compression") return "compression";
  if (ended === "branched" && session.startedAfterParent) return "branch";
  if (session.sameKeyAsParent && RESET_REASONS.has(ended)) return "reset";
  // Hermes treats every other child as a sub-agent.
  return "delegate";
}
