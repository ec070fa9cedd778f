/** Lines of `events.jsonl`: which there are, and what every one of them has. */
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";

export interface CopilotEvent {
  type: string;
  id: string | undefined;
  at: number | undefined;
  data: Json;
  /** The sub-agent it belongs to: its id, or in older versions the call that started it. */
  subagent: string | undefined;
}

/** Types that tell something about the conversation, the bill or the session. */
export const USED_TYPES: ReadonlySet<string> = new Set([
  "session.start",
  "session.resume",
  "session.model_change",
  "session.info",
  "session.error",
  "session.usage_record",
  "session.usage_checkpoint",
  "session.shutdown",
  "session.compaction_complete",
  "user.message",
  "assistant.message",
  "tool.execution_start",
  "tool.execution_complete",
  "permission.completed",
  "abort",
  "subagent.started",
]);

/**
 * Types that are known and passed over unread. `system.message` is the vendor's instructions, `model.*` repeats the
 * whole conversation around a compaction, `tool.user_requested` is a shell command the user ran.
 */
const IGNORED_TYPES: ReadonlySet<string> = new Set([
  "session.compaction_start",
  "session.truncation",
  "session.binary_asset",
  "session.title_changed",
  "session.context_changed",
  "session.mode_changed",
  "session.plan_changed",
  "session.task_complete",
  "session.handoff",
  "session.warning",
  "session.snapshot_rewind",
  "session.workspace_file_changed",
  "skill.invoked",
  "system.message",
  "system.notification",
  "assistant.turn_start",
  "assistant.turn_end",
  "tool.user_requested",
  "permission.requested",
  "subagent.selected",
  "subagent.deselected",
  "subagent.configured",
  "subagent.completed",
  "subagent.failed",
  "hook.start",
  "hook.end",
]);

const IGNORED_FAMILIES = ["model.", "session.schedule_", "session.fusion_"];

export function isIgnored(type: string): boolean {
  return IGNORED_TYPES.has(type) || IGNORED_FAMILIES.some((family) => type.startsWith(family));
}

const TYPE_FIRST = Buffer.from('{"type":"');

/** The type of a line without parsing it; undefined when the line does not begin with it. */
export function typeOf(line: Buffer): string | undefined {
  if (!line.subarray(0, TYPE_FIRST.length).equals(TYPE_FIRST)) return undefined;
  const end = line.indexOf('"', TYPE_FIRST.length);
  return end === -1 ? undefined : line.toString("latin1", TYPE_FIRST.length, end);
}

/** Undefined when the line is no event: not an object, or without type or data. */
export function parseEvent(line: Buffer): CopilotEvent | undefined {
  const record = parseRecord(line);
  const type = asText(record?.["type"]);
  const data = asObject(record?.["data"]);
  if (record === undefined || type === undefined || data === undefined) return undefined;
  const subagent = asText(record["agentId"]) ?? asText(data["parentToolCallId"]);
  return { type, id: asText(record["id"]), at: asTime(record["timestamp"]), data, subagent };
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
export const SESSION_ID = new RegExp(`^${UUID}$`, "i");
/** The only link a fork has to its parent is this sentence. */
const FORKED_FROM = new RegExp(`^Forked from .*\\((${UUID})\\) as .*\\((${UUID})\\)\\.?$`, "is");

/** The parent a `fork` note names; in the parent the note reads otherwise. */
export function forkedFrom(event: CopilotEvent): string | undefined {
  if (event.type !== "session.info" || event.data["infoType"] !== "fork") return undefined;
  return FORKED_FROM.exec(asText(event.data["message"]) ?? "")?.[1];
}
