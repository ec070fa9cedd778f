/**
 * Refusals that Claude Code writes into its transcripts: a message in place of the model's, with the limit and its reset. Recorded
 * with 2.1.326 against a loopback service; older versions have only the text.
 */
import { limitRefusal } from "../../core/limit-refusal.ts";
import type { LimitReading, Refusal } from "../../core/limits.ts";
import { lastRecords } from "../../lib/json/last-records.ts";
import { optional } from "../../lib/values/optional.ts";
import { momentAt } from "../../lib/values/zone-moment.ts";
import type { AgentEnv } from "../adapter.ts";
import { ReadNotes } from "../read-notes.ts";
import { newestSources } from "../shared/newest-sources.ts";
import { listSessions } from "./discover.ts";
import { blocksOf, limitIn, textIn, timeOf, type ClaudeRecord } from "./format.ts";
import { limitWindow } from "./status-line.ts";

export function limitReadings(env: AgentEnv, now: number): LimitReading[] {
  return newestSources(listSessions(env, new ReadNotes()), now).flatMap(({ path, sessionId }) =>
    lastRecords(path).flatMap((record) => readingOf(record, sessionId)),
  );
}

function readingOf(record: ClaudeRecord, session: string): LimitReading[] {
  const at = timeOf(record);
  const refusal = at === undefined ? undefined : refusalOf(record, at);
  return refusal === undefined ? [] : [{ at: at!, agent: "claude", session, windows: [], refusal }];
}

/** Undefined for a service that is only busy. */
function refusalOf(record: ClaudeRecord, at: number): Refusal | undefined {
  const limit = limitIn(record);
  if (limit === undefined) return undefined;
  if (limit.kind === undefined) return limitRefusal(textIn(blocksOf(record), " "), at, momentAt);
  return { kind: limitWindow(limit.kind).window, ...optional("resetsAt", limit.resetsAt) };
}
