/** Describes the daemon's scheduled pushes. */
import { readPushOutcome, readPushSchedule } from "../../client/push-schedule.ts";
import { oneLine } from "../../lib/text/text.ts";
import { age } from "./figures.ts";

export interface ScheduleStatus {
  everyMs: number;
  options: readonly string[];
  last: { at: Date; ok: boolean; said: string } | null;
}

/** Undefined if nothing is scheduled. */
export function scheduleStatus(home: string): ScheduleStatus | undefined {
  const schedule = readPushSchedule(home);
  if (schedule === undefined) return undefined;
  return { everyMs: schedule.everyMs, options: schedule.options, last: readPushOutcome(home) ?? null };
}

export function scheduleText({ everyMs: ms, last }: ScheduleStatus): string {
  const every = ms % 3_600_000 === 0 ? `${ms / 3_600_000}h` : `${Math.round(ms / 60_000)}m`;
  if (last === null) return `The daemon pushes to the archive every ${every}; not yet.`;
  const ago = age(last.at);
  const when = ago === "now" ? "just now" : `${ago} ago`;
  return `The daemon pushes to the archive every ${every}; last ${when}${last.ok ? "" : ", FAILED"}: ${oneLine(last.said)}`;
}
