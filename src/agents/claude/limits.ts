/**
 * Refusals that Claude Code writes into its transcripts: a message in place of the model's, with the limit and its reset. Recorded
 * with 2.1.326 against a loopback service; older versions have only the text.
 */
import { limitRefusal } from "../../core/limit-refusal.ts";
import type { LimitReading, Refusal } from "../../core/limits.ts";
import { asObject, asObjects, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { lastRecords } from "../../lib/json/last-records.ts";
import { optional } from "../../lib/values/optional.ts";
import { momentAt } from "../../lib/values/zone-moment.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { newestSources } from "../shared/newest-sources.ts";
import { listSessions } from "./discover.ts";
import { limitWindow } from "./status-line.ts";

export function limitReadings(env: AgentEnv, now: number): LimitReading[] {
  return newestSources(listSessions(env, new ReadNotes()), now).flatMap(({ path, sessionId }) =>
    lastRecords(path).flatMap((record) => readingOf(record, sessionId)),
  );
}

function readingOf(record: Json, session: string): LimitReading[] {
  const at = asTime(record["timestamp"]);
  if (record["isApiErrorMessage"] !== true || record["error"] !== "rate_limit" || at === undefined) return [];
  const refusal = refusalOf(record, at);
  return refusal === undefined ? [] : [{ at, agent: "claude", session, windows: [], refusal }];
}

/** Undefined for a service that is only busy. */
function refusalOf(record: Json, at: number): Refusal | undefined {
  const quota = asObject(record["quotaLimits"]);
  const kind = asText(quota?.["rateLimitType"]);
  if (quota?.["status"] === "rejected" && kind !== undefined)
    return { kind: limitWindow(kind).window, ...optional("resetsAt", asTime(quota["resetsAt"])) };
  const texts = asObjects(asObject(record["message"])?.["content"]).flatMap(({ text }) => asText(text) ?? []);
  return limitRefusal(texts.join(" "), at, momentAt);
}
