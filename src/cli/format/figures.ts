/** Formats money, counts and times. */
import type { CostRecord } from "../../core/cost.ts";

export function money(
  usd: number,
  digits = Math.abs(usd) >= 100 ? 0 : Math.abs(usd) >= 0.1 || usd === 0 ? 2 : 4,
): string {
  return `${usd < 0 ? "-" : ""}$${inEnglish(Math.abs(usd), digits)}`;
}

/** A session's cost in a table cell; unknown costs are not shown as $0. */
export function costCell(cost: Pick<CostRecord, "totalUsd" | "kind"> | undefined, digits?: number): string {
  if (cost === undefined) return "–";
  const { kind, totalUsd } = cost;
  const shown = money(totalUsd, digits);
  if (kind === "unknown") return totalUsd > 0 ? `≥${shown}` : "?";
  if (kind === "unpriced") return totalUsd > 0 ? `≥${shown}` : "no price";
  return kind === "lower-bound" ? `≥${shown}` : shown;
}

/** Decimals for all amounts of a column: with different ones the smaller would look the larger. */
export function columnDigits(amounts: readonly (number | undefined)[]): number {
  return amounts.some((usd) => usd !== undefined && usd !== 0 && Math.abs(usd) < 0.1) ? 4 : 2;
}

export function count(value: number): string {
  return Number.isInteger(value) ? inEnglish(value, 0) : value.toLocaleString("en-US");
}

/** 1,234.50, as `toLocaleString` does: its first call takes as long as Node's start. */
function inEnglish(value: number, digits: number): string {
  // Shifts the decimal number as it is written, so that 1.005 is rounded up.
  const shifted = Number(`${value}e${digits}`);
  const rounded = Math.round(Number.isNaN(shifted) ? value * 10 ** digits : shifted) / 10 ** digits;
  const [whole, fraction] = rounded.toFixed(digits).split(".");
  const grouped = whole!.replace(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `1 copy`, `2,000 copies`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** 1234567 as 1.2M. */
export function compact(value: number): string {
  if (value < 10_000) return String(value);
  const units = ["", "K", "M", "B", "T"];
  for (let unit = 1; ; unit++) {
    const short = inEnglish(value / 1000 ** unit, 1).replace(/\.0$/, "");
    if (!short.includes(",") || unit === units.length - 1) return `${short}${units[unit]}`;
  }
}

export function bytes(value: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Age: 5m, 3h, 2d, 6w; a date beyond a year. A missing time does not break a table. */
export function age(date: Date, now = Date.now()): string {
  const past = now - date.getTime();
  if (Number.isNaN(past)) return "?";
  if (past < MINUTE) return "now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)}m`;
  if (past < DAY) return `${Math.floor(past / HOUR)}h`;
  if (past < 14 * DAY) return `${Math.floor(past / DAY)}d`;
  if (past < 365 * DAY) return `${Math.floor(past / (7 * DAY))}w`;
  return date.toISOString().slice(0, 10);
}

/** How long: 40s, 12m, 3h 5m, 2d 4h. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "?";
  if (ms < MINUTE) return `${Math.floor(ms / 1000)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h ${Math.floor((ms % HOUR) / MINUTE)}m`;
  return `${Math.floor(ms / DAY)}d ${Math.floor((ms % DAY) / HOUR)}h`;
}
