/**
 * Parses dates as people type them: a day, month or year; a moment with or without zone; an age (90m, 24h, 7d, 2w, 3mo, 1y);
 * today, yesterday, a weekday; this week, last month. Weeks start on Monday.
 */
import { TimeZone } from "./time-zone.ts";

export interface DateRange {
  /** First moment. */
  from: number;
  /** First moment after it; equal to `from` for a moment. */
  to: number;
}

export const DATE_EXAMPLES = "2026-01-31, 2026-01, 24h, 7d, 3mo, today, yesterday, monday or last week";

/** Undefined if it is not a date. */
export function parseDateRange(text: string, now = new Date(), zone = new TimeZone()): DateRange | undefined {
  const typed = text.trim().toLowerCase();
  const ago = /^(\d{1,5})(m|min|h|d|w|mo|y)$/.exec(typed);
  if (ago) return moment(timeAgo(Number(ago[1]), ago[2]!, now, zone));
  const day = Date.parse(`${zone.dayOf(now.getTime())}T00:00Z`);
  const named = dayNamed(typed, day) ?? periodNamed(typed, day) ?? calendarStretch(typed);
  if (named) return { from: zone.momentAt(named[0]), to: zone.momentAt(named[1]) };
  return exactMoment(text.trim(), zone);
}

/** From and to in wall clock time, encoded as UTC. */
type WallStretch = [from: number, to: number];

const DAY_MS = 86_400_000;
const UNITS: Record<string, number> = { m: 60_000, min: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

function timeAgo(amount: number, unit: string, now: Date, zone: TimeZone): number {
  const inMs = UNITS[unit];
  if (inMs !== undefined) return now.getTime() - amount * inMs;
  const then = new Date(`${zone.timeOf(now.getTime()).replace(" ", "T")}Z`);
  const day = then.getUTCDate();
  then.setUTCMonth(then.getUTCMonth() - amount * (unit === "y" ? 12 : 1));
  // A month before the 31st is the last day of a shorter month, not a day of the next one.
  if (then.getUTCDate() !== day) then.setUTCDate(0);
  // Intl counts the years before 1 without a sign.
  return then.getUTCFullYear() < 1 ? then.getTime() : zone.momentAt(then.getTime());
}

function dayNamed(text: string, today: number): WallStretch | undefined {
  if (text === "today") return [today, today + DAY_MS];
  if (text === "yesterday") return [today - DAY_MS, today];
  const weekday = WEEKDAYS.findIndex((name) => text.replace(/^last /, "") === name);
  if (weekday === -1) return undefined;
  const since = (new Date(today).getUTCDay() - weekday + 6) % 7;
  const start = today - (since + 1) * DAY_MS;
  return [start, start + DAY_MS];
}

function periodNamed(text: string, today: number): WallStretch | undefined {
  const [, which, unit] = /^(this|last) (week|month|year)$/.exec(text) ?? [];
  if (unit === undefined) return undefined;
  const back = which === "last" ? 1 : 0;
  const date = new Date(today);
  if (unit === "week") {
    const monday = today - ((date.getUTCDay() + 6) % 7) * DAY_MS - back * 7 * DAY_MS;
    return [monday, monday + 7 * DAY_MS];
  }
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return unit === "month"
    ? [Date.UTC(year, month - back), Date.UTC(year, month - back + 1)]
    : [Date.UTC(year - back, 0), Date.UTC(year - back + 1, 0)];
}

function calendarStretch(text: string): WallStretch | undefined {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [y, m, d] = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)];
  const from = Date.UTC(y, m, d);
  // Date would turn February 31 into March 3.
  if (new Date(from).getUTCMonth() !== m || new Date(from).getUTCDate() !== d) return undefined;
  if (day !== undefined) return [from, from + DAY_MS];
  return [from, month === undefined ? Date.UTC(y + 1, 0) : Date.UTC(y, m + 1)];
}

function exactMoment(text: string, zone: TimeZone): DateRange | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T/i.test(text)) return undefined;
  if (calendarStretch(text.slice(0, 10)) === undefined) return undefined;
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const ms = Date.parse(hasZone ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : moment(hasZone ? ms : zone.momentAt(ms));
}

function moment(ms: number): DateRange {
  return { from: ms, to: ms };
}
