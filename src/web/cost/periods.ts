/** The bars of the cost chart: days, or weeks or months where days would be too many. */
import type { CostBreakdown } from "../../core/cost.ts";
import { dayOf } from "../ui/times.ts";

export type Unit = "day" | "week" | "month";

export interface Period {
  /** A day, the Monday of a week, or a month: `2026-11-17`, `2026-11`. */
  key: string;
  /** By series. */
  usd: ReadonlyMap<string, number>;
  totalUsd: number;
}

/** More bars are too thin to hit. */
const MAX_DAYS = 92;
const MAX_WEEKS = 104;

const DAY_MS = 86_400_000;

/** Every period from the first to the last, also those without cost. `rows` are by day, with the series below. */
export function periodsOf(rows: readonly CostBreakdown[], from: string | undefined, today: string): [Unit, Period[]] {
  const known = rows.filter(({ key }) => /^\d{4}-\d\d-\d\d$/.test(key));
  const keys = known.map(({ key }) => key).sort();
  const first = [from, keys[0]].flatMap((key) => key ?? []).sort()[0];
  if (first === undefined) return ["day", []];
  const last = [today, keys.at(-1) ?? today].sort()[1]!;
  const days = Math.round((noonOf(last) - noonOf(first)) / DAY_MS) + 1;
  const unit: Unit = days <= MAX_DAYS ? "day" : days <= 7 * MAX_WEEKS ? "week" : "month";
  const found = new Map<string, { usd: Map<string, number>; totalUsd: number }>();
  // Noon, so that adding 24 hours always reaches the next day across a clock change.
  for (let at = noonOf(first); dayOf(new Date(at)) <= last; at += DAY_MS)
    found.set(keyOf(dayOf(new Date(at)), unit), { usd: new Map(), totalUsd: 0 });
  for (const { key, totalUsd, breakdowns = {} } of known) {
    const period = found.get(keyOf(key, unit))!;
    period.totalUsd += totalUsd;
    for (const [name, row] of Object.entries(breakdowns))
      period.usd.set(name, (period.usd.get(name) ?? 0) + row.totalUsd);
  }
  return [unit, [...found].map(([key, period]) => ({ key, ...period }))];
}

function noonOf(day: string): number {
  return Date.parse(`${day}T12:00:00`);
}

function keyOf(day: string, unit: Unit): string {
  if (unit === "day") return day;
  if (unit === "month") return day.slice(0, 7);
  const date = new Date(noonOf(day));
  date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return dayOf(date);
}

/** First moment of a period and of the next one; undefined if the key is none. */
export function rangeOf(key: string, unit: Unit): { from: Date; to: Date } | undefined {
  const from = new Date(`${unit === "month" ? `${key}-01` : key}T00:00:00`);
  if (!/^\d{4}-\d\d(-\d\d)?$/.test(key) || Number.isNaN(from.getTime())) return undefined;
  const to = new Date(from);
  if (unit === "month") to.setMonth(to.getMonth() + 1);
  else to.setDate(to.getDate() + (unit === "week" ? 7 : 1));
  return { from, to };
}

const DAY = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
const SHORT_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const SHORT_MONTH = new Intl.DateTimeFormat(undefined, { month: "short", year: "2-digit" });

export function periodName(key: string, unit: Unit): string {
  const from = rangeOf(key, unit)?.from;
  if (from === undefined) return key;
  if (unit === "month") return MONTH.format(from);
  return unit === "week" ? `week of ${DAY.format(from)}` : DAY.format(from);
}

export function shortName(key: string, unit: Unit): string {
  const from = rangeOf(key, unit)?.from;
  if (from === undefined) return key;
  return (unit === "month" ? SHORT_MONTH : SHORT_DAY).format(from);
}

/** Values of the lines behind the bars, from zero; the last one is at or above the highest bar. */
export function scaleOf(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough)! * power;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => at * step);
}
