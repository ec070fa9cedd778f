/**
 * What the parent of a session is to it. The column `parent_session_id` stands for four relations; marks in
 * `model_config` tell them apart, and in databases from before the marks the way the parent ended does.
 */
import { asNumber, asText } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { Row } from "../../lib/sqlite/sqlite.ts";

export interface Lineage {
  /** `branch` and `compression` begin with copies of the parent's messages; `reset` begins empty. */
  relation: "branch" | "compression" | "reset" | "delegate";
  parent: string;
}

/** Columns of the parent that the query for a session has to join, as `parent_…`. */
export const PARENT_COLUMNS = ["end_reason", "ended_at", "session_key"] as const;

const MARKS = [
  ["_delegate_from", "delegate"],
  ["_branched_from", "branch"],
  ["_reset_from", "reset"],
] as const;

const RESET_REASONS = new Set([
  "session_reset",
  "session_switch",
  "idle",
  "daily",
  "suspended",
  "resume_pending_expired",
]);

export function lineageOf(session: Row): Lineage | undefined {
  const config = parseObject(session["model_config"]);
  for (const [mark, relation] of MARKS) {
    const parent = asText(config?.[mark]);
    if (parent !== undefined) return { relation, parent };
  }
  const parent = asText(session["parent_session_id"]);
  if (parent === undefined) return undefined;
  return { relation: unmarkedRelation(session), parent };
}

function unmarkedRelation(session: Row): Lineage["relation"] {
  if (session["source"] === "subagent") return "delegate";
  const ended = asText(session["parent_end_reason"]);
  if (ended === "compression") return "compression";
  const startedAfter = (asNumber(session["started_at"]) ?? 0) >= (asNumber(session["parent_ended_at"]) ?? Infinity);
  if (ended === "branched" && startedAfter) return "branch";
  const key = asText(session["session_key"]);
  if (key !== undefined && key === session["parent_session_key"] && RESET_REASONS.has(ended ?? "")) return "reset";
  // Hermes itself takes every other child for the run of a sub-agent.
  return "delegate";
}
