/** Formats times, and provides a clock for components. */
import { signal } from "@preact/signals";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Ticks a few times a minute, which is enough for ages. */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 15_000);

/** `now`, `5m`, `3h`, `2d`. */
export function age(from: string | number | undefined, until = now.value): string {
  if (from === undefined) return "";
  const ms = until - new Date(from).getTime();
  if (!(ms >= MINUTE_MS)) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h`;
  if (ms < 60 * DAY_MS) return `${Math.floor(ms / DAY_MS)}d`;
  return ms < 365 * DAY_MS ? `${Math.floor(ms / DAY_MS / 30)}mo` : `${Math.floor(ms / DAY_MS / 365)}y`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ${Math.round((ms % MINUTE_MS) / 1000)}s`;
  return `${Math.floor(ms / HOUR_MS)}h ${Math.round((ms % HOUR_MS) / MINUTE_MS)}m`;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const OTHER_YEAR = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The time of day; with the day if that is more than a day away. */
export function clock(at: string): string {
  const date = new Date(at);
  if (date.getFullYear() !== new Date().getFullYear()) return OTHER_YEAR.format(date);
  return Math.abs(Date.now() - date.getTime()) < DAY_MS
    ? CLOCK.format(date)
    : `${DAY.format(date)} ${CLOCK.format(date)}`;
}

/** The time of day; with the day unless it is today. */
export function dueClock(at: string): string {
  const date = new Date(at);
  return dayOf(date) === dayOf(new Date()) ? CLOCK.format(date) : `${DAY.format(date)} ${CLOCK.format(date)}`;
}

export function fullTime(at: string | undefined): string {
  return at === undefined || Number.isNaN(Date.parse(at)) ? "" : FULL.format(new Date(at));
}

/** The local date as `YYYY-MM-DD`. */
export function dayOf(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
