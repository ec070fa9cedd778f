/**
 * Limits that Codex writes beside its token counts. A window is named by its length: which of the two is the short one depends on
 * the plan. Null where the service sends none, as for API keys.
 */
import { limitRefusal } from "../../core/limit-refusal.ts";
import { windowName, type LimitReading, type LimitWindow, type Refusal } from "../../core/limits.ts";
import { asNumber, asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { parseRecord, readLines } from "../../lib/json/jsonl.ts";
import { lastRecords } from "../../lib/json/last-records.ts";
import { optional } from "../../lib/values/optional.ts";
import { momentAt } from "../../lib/values/zone-moment.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { newestSources } from "../shared/newest-sources.ts";
import { history } from "./history.ts";

/** A year; more is damaged. */
const MAX_MINUTES = 366 * 24 * 60;

export function limitReadings(env: AgentEnv, now: number): LimitReading[] {
  return newestSources(history.listSessions(env, new ReadNotes()), now).flatMap(({ path, sessionId: session }) => {
    const account = accountOf(path);
    const who = { agent: "codex", ...optional("account", account), session };
    return lastRecords(path).flatMap((record) => readingOf(record).map((reading) => ({ ...who, ...reading })));
  });
}

/** New versions name the signed-in account in a thread's first record. */
function accountOf(path: string): string | undefined {
  try {
    const [first] = readLines(path, { to: 1 });
    return asText(asObject(first && parseRecord(first.bytes)?.["payload"])?.["creator_account_id"]);
  } catch {
    return undefined; // Moved or archived meanwhile.
  }
}

function readingOf(record: Json): Pick<LimitReading, "at" | "plan" | "windows" | "refusal">[] {
  const payload = asObject(record["payload"]);
  const at = asTime(record["timestamp"]);
  if (payload === undefined || at === undefined || record["type"] !== "event_msg") return [];
  const refusal = refusalOf(payload, at);
  if (refusal !== undefined) return [{ at, windows: [], refusal }];
  const limits = asObject(payload["rate_limits"]);
  if (limits === undefined || payload["type"] !== "token_count") return [];
  const windows = ["primary", "secondary"].flatMap((name) => windowOf(asObject(limits[name]), at));
  return windows.length === 0 ? [] : [{ at, ...optional("plan", asText(limits["plan_type"])), windows }];
}

/** In the end of a turn since 0.166, before in an event of its own. Codex does not say which window it is. */
function refusalOf(payload: Json, at: number): Refusal | undefined {
  const error = payload["type"] === "error" ? payload : asObject(payload["error"]);
  if (error?.["codex_error_info"] !== "usage_limit_exceeded") return undefined;
  return limitRefusal(asText(error["message"]) ?? "", at, momentAt) ?? {};
}

/** Older versions say in how many seconds it resets. */
function windowOf(fields: Json | undefined, at: number): LimitWindow[] {
  const [used, minutes] = [asNumber(fields?.["used_percent"]), asNumber(fields?.["window_minutes"])];
  if (used === undefined || used < 0 || minutes === undefined || minutes < 1 || minutes > MAX_MINUTES) return [];
  const seconds = asNumber(fields?.["resets_in_seconds"]);
  const resetsAt = asTime(fields?.["resets_at"] ?? (seconds === undefined ? undefined : at + seconds * 1000));
  return [{ window: windowName(minutes), minutes, usedPercent: used, ...optional("resetsAt", resetsAt) }];
}
