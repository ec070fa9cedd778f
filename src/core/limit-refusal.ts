/**
 * Recognises an agent's words for a used-up limit, and reads the time of the reset from them: `resets 3pm (Asia/Seoul)`, `resets
 * Apr 23 at 4pm`, `try again at 7:58 PM`, `try again in 2 hours 5 minutes`, `limit reached|1760000400`.
 */
import type { Refusal } from "./limits.ts";

const REFUSAL =
  /\busage limit\b|\bhit your (?:[\w-]+ ){0,2}limit\b|\b(?:hours?|daily|weekly|monthly|session|opus|sonnet) limit reached\b/i;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const CLOCK =
  /(?:resets?(?: at)?|again at) (?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}),?)?(?: at)? )?(\d{1,2})(?::(\d{2}))? ?([ap])m(?: \(([\w/+-]{1,40})\))?/i;

const STRETCH = /again in (?:(\d{1,3}) days? ?)?(?:(\d{1,3}) hours? ?)?(?:(\d{1,3}) min)?/i;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Moment when the clocks of a zone show a time that is given as UTC; the zone is the local one by default. */
export type MomentAt = (wall: number, zone: string | undefined) => number | undefined;

/** Claude Code's words for its windows. */
const KINDS: readonly [RegExp, string][] = [
  [/\b(?:5-hour|session) limit\b/i, "5h"],
  [/\bweekly limit\b/i, "7d"],
  [/\bopus limit\b/i, "7d opus"],
  [/\bsonnet limit\b/i, "7d sonnet"],
];

/** Undefined if the text is about something else. `at` is when it was said. */
export function limitRefusal(text: string, at: number, momentAt: MomentAt): Refusal | undefined {
  const start = text.slice(0, 2000);
  if (!REFUSAL.test(start)) return undefined;
  const resetsAt = epochIn(start) ?? stretchIn(start, at) ?? clockIn(start, at, momentAt);
  const kind = KINDS.find(([words]) => words.test(start))?.[1];
  return { ...(kind === undefined ? {} : { kind }), ...(resetsAt === undefined ? {} : { resetsAt }) };
}

function epochIn(text: string): number | undefined {
  const seconds = /\|(\d{10})\b/.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function stretchIn(text: string, at: number): number | undefined {
  const [, days = 0, hours = 0, minutes = 0] = STRETCH.exec(text) ?? [];
  const ms = Number(days) * DAY_MS + Number(hours) * HOUR_MS + Number(minutes) * 60_000;
  return ms === 0 ? undefined : at + ms;
}

function clockIn(text: string, at: number, momentAt: MomentAt): number | undefined {
  const [, month, day, year, hour, minute = "0", half, zone] = CLOCK.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 12) return undefined;
  const time = ((Number(hour) % 12) + (half!.toLowerCase() === "p" ? 12 : 0)) * HOUR_MS + Number(minute) * 60_000;
  const said = new Date(at);
  const index = MONTHS.indexOf(month?.toLowerCase() ?? "");
  if (month !== undefined && index === -1) return undefined;
  if (month !== undefined) {
    const own = Number(year ?? said.getUTCFullYear());
    // Without a year, the first such day after it was said.
    const moments = [own, own + 1].map((each) => momentAt(Date.UTC(each, index, Number(day)) + time, zone));
    return year === undefined ? moments.find((moment) => moment !== undefined && moment > at - DAY_MS) : moments[0];
  }
  // The day there can be the one before or after the day in UTC.
  const today = Math.floor(at / DAY_MS) * DAY_MS;
  const moments = [-1, 0, 1, 2].map((days) => momentAt(today + days * DAY_MS + time, zone));
  return moments.find((moment) => moment !== undefined && moment > at);
}
