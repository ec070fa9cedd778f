/** Dates in a query: `2026-01-31`, `2026-01-31T12:00Z`, or how long ago: `24h`, `7d`, `2w`, `3m` (months), `1y`. */

const HOUR_MS = 3_600_000;
const UNITS_MS: Record<string, number> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };

/** The moment meant; a bare date is the start of that local day. Undefined when it is no date. */
export function momentOf(text: string, now = new Date()): number | undefined {
  const ago = /^(\d{1,5})([hdwmy])$/.exec(text);
  if (ago) return before(now, Number(ago[1]), ago[2]!);
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (day) {
    const [year, month, date] = [Number(day[1]), Number(day[2]) - 1, Number(day[3])];
    const start = new Date(year, month, date);
    // Date would take February 31 for March 3.
    return start.getMonth() === month && start.getDate() === date ? start.getTime() : undefined;
  }
  const ms = /^\d{4}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function before(now: Date, amount: number, unit: string): number {
  const then = new Date(now);
  if (unit === "m") then.setMonth(then.getMonth() - amount);
  else if (unit === "y") then.setFullYear(then.getFullYear() - amount);
  else then.setTime(then.getTime() - amount * UNITS_MS[unit]!);
  return then.getTime();
}
