/** Numbers, times and paths, short enough for a column. */
import type { CostRecord } from "../../core/cost.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago: now, 5m, 3h, 2d, 6w, 2y. */
export function age(ms: number, now: number): string {
  const past = now - ms;
  if (!Number.isFinite(past)) return "";
  if (past < MINUTE) return "now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)}m`;
  if (past < DAY) return `${Math.floor(past / HOUR)}h`;
  if (past < 14 * DAY) return `${Math.floor(past / DAY)}d`;
  return past < 365 * DAY ? `${Math.floor(past / (7 * DAY))}w` : `${Math.floor(past / (365 * DAY))}y`;
}

/** 999, 1.2k, 45k, 1.5M. */
export function compact(value: number): string {
  for (const [size, unit] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (value >= size) return `${(value / size).toFixed(value / size < 10 ? 1 : 0)}${unit}`;
  }
  return String(Math.round(value));
}

export function bytes(value: number): string {
  return compact(value).replace("k", "K");
}

/** Amounts share columns, so all have the same number of decimals; none is rounded to zero. */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.0005) return "<$0.001";
  return usd >= 100 ? `$${Math.round(usd)}` : `$${usd.toFixed(3)}`;
}

/** An unknown cost is not shown as zero. */
export function price({ totalUsd, kind }: Pick<CostRecord, "totalUsd" | "kind">): string {
  if (kind === undefined || kind === "reported" || kind === "computed") return money(totalUsd);
  return totalUsd >= 0.0005 ? `≥${money(totalUsd)}` : "?";
}

export function span(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${Math.floor(seconds)}s`;
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Abbreviates home to ~; a long path is cut at the start. */
export function tildePath(path: string, home: string, width = Number.POSITIVE_INFINITY): string {
  const short = path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return short.length <= width ? short : `…${short.slice(short.length - width + 1)}`;
}
