/**
 * Limits that Codex writes beside its token counts. A window is named by its length: which of the two is the short one depends on
 * the plan. Null where the service sends none, as for API keys.
 */
import { limitRefusal } from "../../core/limit-refusal.ts";
import { windowName, type LimitReading, type LimitWindow } from "../../core/limits.ts";
import { asTime, type Json } from "../../lib/json/fields.ts";
import { readLines } from "../../lib/json/jsonl.ts";
import { lastRecords } from "../../lib/json/last-records.ts";
import { optional } from "../../lib/values/optional.ts";
import { momentAt } from "../../lib/values/zone-moment.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { newestSources } from "../shared/newest-sources.ts";
import { headerOf, KIND } from "./format.ts";
import { limitRefusalIn, limitsIn, type LimitFields } from "./format-items.ts";
import { history } from "./history.ts";
import { RolloutRecord } from "./rollout-record.ts";

/** A year; more is damaged. */
const MAX_MINUTES = 366 * 24 * 60;

export function limitReadings(env: AgentEnv, now: number): LimitReading[] {
  return newestSources(history.listSessions(env, new ReadNotes()), now).flatMap(({ path, sessionId: session }) => {
    const account = accountOf(path);
    const who = { agent: "codex", ...optional("account", account), session };
    return lastRecords(path).flatMap((record) => readingOf(record).map((reading) => ({ ...who, ...reading })));
  });
}

/** Undefined in versions that do not name it in a thread's first record. */
function accountOf(path: string): string | undefined {
  try {
    const [first] = readLines(path, { to: 1 });
    const record = first && RolloutRecord.fromLine(first.bytes);
    return record && headerOf(record.payload).account;
  } catch {
    return undefined; // Moved or archived meanwhile.
  }
}

function readingOf(json: Json): Pick<LimitReading, "at" | "plan" | "windows" | "refusal">[] {
  const { type, time: at, payload } = new RolloutRecord(json);
  if (at === undefined) return [];
  const refusal = limitRefusalIn(type, payload);
  // Codex does not say which window it is.
  if (refusal !== undefined) return [{ at, windows: [], refusal: limitRefusal(refusal, at, momentAt) ?? {} }];
  const limits = type === KIND.tokenCount ? limitsIn(payload) : undefined;
  const windows = limits?.windows.flatMap((fields) => windowOf(fields, at)) ?? [];
  return windows.length === 0 ? [] : [{ at, ...optional("plan", limits?.plan), windows }];
}

function windowOf({ usedPercent, minutes, resetsAt, resetsInSeconds }: LimitFields, at: number): LimitWindow[] {
  if (usedPercent === undefined || usedPercent < 0) return [];
  if (minutes === undefined || minutes < 1 || minutes > MAX_MINUTES) return [];
  const then = resetsAt ?? (resetsInSeconds === undefined ? undefined : at + resetsInSeconds * 1000);
  return [{ window: windowName(minutes), minutes, usedPercent, ...optional("resetsAt", asTime(then)) }];
}
