/** Dates as they are typed: ISO 8601, or how long ago. */
import { TimeZone } from "../lib/time-zone.ts";
import { usageError } from "./command.ts";

/**
 * `2026-01-31`, `2026-01-31T12:00`, `2026-01-31T12:00Z`, `24h`, `7d`, `2w`, `3m` (months), `1y`. A bare date is a day of
 * the zone: its start for `since`, its last moment for `until`.
 */
export function parseDate(
  text: string,
  option: "since" | "until",
  { now = new Date(), zone = new TimeZone() }: { now?: Date; zone?: TimeZone } = {},
): Date {
  const relative = /^(\d{1,5})([hdwmy])$/.exec(text);
  if (relative) return ago(Number(relative[1]), relative[2]!, now);
  const parsed = momentOf(text, option, zone);
  if (parsed === undefined || Number.isNaN(parsed)) {
    throw usageError(
      `--${option} takes a date such as 2026-01-31 or 2026-01-31T12:00Z, or a time ago such as 24h, 7d, 2w, 3m, 1y; not "${text}".`,
    );
  }
  return new Date(parsed);
}

function momentOf(text: string, option: "since" | "until", zone: TimeZone): number | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const wall = Date.parse(`${text}T00:00Z`);
    // Date would take February 31 for March 3.
    if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== text) return undefined;
    return option === "since" ? zone.momentAt(wall) : zone.momentAt(wall + DAY_MS) - 1;
  }
  if (!/^\d{4}-\d{2}/.test(text)) return undefined;
  const hasZone = !text.includes("T") || /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return hasZone ? Date.parse(text) : zone.momentAt(Date.parse(`${text}Z`));
}

const DAY_MS = 86_400_000;

const UNITS: Record<string, number> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

function ago(amount: number, unit: string, now: Date): Date {
  const then = new Date(now);
  if (unit === "m") then.setMonth(then.getMonth() - amount);
  else if (unit === "y") then.setFullYear(then.getFullYear() - amount);
  else then.setTime(then.getTime() - amount * UNITS[unit]!);
  return then;
}
