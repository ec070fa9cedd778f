/** Dates as they are typed: ISO 8601, or how long ago. */
import { usageError } from "./command.ts";

const UNITS: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/**
 * `2026-01-31`, `2026-01-31T12:00Z`, `24h`, `7d`, `2w`, `3m` (months), `1y`. A bare date is a local day: its start for
 * `since`, its last moment for `until`.
 */
export function parseDate(text: string, option: "since" | "until", now = new Date()): Date {
  const relative = /^(\d{1,5})([hdwmy])$/.exec(text);
  if (relative) return ago(Number(relative[1]), relative[2]!, now);
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (day) {
    const [year, month, date] = [Number(day[1]), Number(day[2]) - 1, Number(day[3])];
    const start = new Date(year, month, date);
    if (start.getMonth() === month && start.getDate() === date) {
      return option === "since" ? start : new Date(new Date(year, month, date + 1).getTime() - 1);
    }
  }
  const parsed = /^\d{4}-\d{2}/.test(text) && !day ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(parsed.getTime())) {
    throw usageError(
      `--${option} takes a date such as 2026-01-31 or 2026-01-31T12:00Z, or a time ago such as 24h, 7d, 2w, 3m, 1y; not "${text}".`,
    );
  }
  return parsed;
}

function ago(amount: number, unit: string, now: Date): Date {
  const then = new Date(now);
  if (unit === "m") then.setMonth(then.getMonth() - amount);
  else if (unit === "y") then.setFullYear(then.getFullYear() - amount);
  else then.setTime(then.getTime() - amount * UNITS[unit]!);
  return then;
}
