/**
 * Limits that Codex writes beside its token counts. A window is named by its length: which of the two is the short one depends on
 * the plan. Null where the service sends none, as for API keys.
 */
import { windowName, type LimitReading, type LimitWindow } from "../../core/limits.ts";
import { asNumber, asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { lastRecords } from "../../lib/json/last-records.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { history } from "./history.ts";

/** The longest window is a week. */
const RECENT_MS = 8 * 86_400_000;

/** The newest files hold the current figures; more would only refine the forecast. */
const MAX_FILES = 20;

/** A year; more is damaged. */
const MAX_MINUTES = 366 * 24 * 60;

export function limitReadings(env: AgentEnv, now: number): LimitReading[] {
  const sources = history.listSessions(env, new ReadNotes()).filter(({ updatedMs }) => updatedMs > now - RECENT_MS);
  const newest = sources.sort((a, b) => b.updatedMs - a.updatedMs).slice(0, MAX_FILES);
  return newest
    .filter(({ path }) => path.endsWith(".jsonl"))
    .flatMap(({ path, sessionId }) => lastRecords(path).flatMap((record) => readingOf(record, sessionId)));
}

function readingOf(record: Json, session: string): LimitReading[] {
  const payload = asObject(record["payload"]);
  const limits = asObject(payload?.["rate_limits"]);
  const at = asTime(record["timestamp"]);
  if (limits === undefined || at === undefined || payload?.["type"] !== "token_count") return [];
  const windows = ["primary", "secondary"].flatMap((name) => windowOf(asObject(limits[name]), at));
  return windows.length === 0
    ? []
    : [{ at, agent: "codex", ...optional("plan", asText(limits["plan_type"])), session, windows }];
}

/** Older versions say in how many seconds it resets. */
function windowOf(fields: Json | undefined, at: number): LimitWindow[] {
  const [used, minutes] = [asNumber(fields?.["used_percent"]), asNumber(fields?.["window_minutes"])];
  if (used === undefined || used < 0 || minutes === undefined || minutes < 1 || minutes > MAX_MINUTES) return [];
  const seconds = asNumber(fields?.["resets_in_seconds"]);
  const resetsAt = asTime(fields?.["resets_at"] ?? (seconds === undefined ? undefined : at + seconds * 1000));
  return [{ window: windowName(minutes), minutes, usedPercent: used, ...optional("resetsAt", resetsAt) }];
}
