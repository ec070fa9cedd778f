/**
 * When a queued prompt is due: `idle`, `reset`, once (`9:00`, `tomorrow 9:00`, `monday 9:00`, `in 2h`, `2026-11-20 09:00`) or
 * repeatedly (`daily 9:00`, `weekdays 9:00`, `every mon,thu 18:30`). Clock times are the machine's own.
 */
import { AgentMuxError } from "../../core/errors.ts";
import { parseDateRange } from "../../lib/values/typed-date.ts";
import { TimeZone } from "../../lib/values/time-zone.ts";

export type When =
  | { kind: "idle" | "reset" }
  /** Milliseconds since the epoch. */
  | { kind: "once"; at: number }
  /** Sunday is 0. */
  | { kind: "every"; days: readonly number[]; minute: number };

/** One time of a schedule. A day has one, so its name identifies it. */
export interface Slot {
  day: string;
  at: number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAILY = [0, 1, 2, 3, 4, 5, 6];
const WEEKDAYS = [1, 2, 3, 4, 5];
const WEEKEND = [0, 6];

/** A later slot would be found after a week; one more for days on which clocks change. */
const LOOK_DAYS = 8;

/** Throws a sentence for the user. */
export function parseWhen(typed: string, now: number, zone = new TimeZone()): When {
  const text = typed.trim().toLowerCase().replaceAll(/\s+/g, " ");
  if (text === "idle" || text === "reset") return { kind: text };
  const when = schedule(text) ?? once(text, now, zone);
  if (when === undefined)
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `A time is idle, reset, 9:00, "tomorrow 9:00", "in 2h", "2026-11-20 09:00", "weekdays 9:00" or "every mon,thu 9:00", not "${typed}".`,
    );
  if (when.kind === "once" && when.at < now - MINUTE_MS)
    throw new AgentMuxError("VALIDATION_ERROR", `"${typed}" is over.`);
  return when;
}

/** `parseWhen` reads it back, whenever that is. */
export function whenText(when: When): string {
  if (when.kind === "once") return new Date(when.at).toISOString();
  if (when.kind !== "every") return when.kind;
  const { days, minute } = when;
  const time = `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
  if (days.length === DAILY.length) return `daily ${time}`;
  if (String(days) === String(WEEKDAYS)) return `weekdays ${time}`;
  return `every ${days.map((day) => DAYS[day]).join(",")} ${time}`;
}

/** From a stored `whenText`. */
export function storedWhen(text: string, zone?: TimeZone): When {
  return parseWhen(text, 0, zone);
}

/** A file may have been written by somebody else: `9:00` would be a day in 1970. */
export function isStoredWhen(text: string): boolean {
  try {
    return whenText(storedWhen(text)) === text;
  } catch {
    return false;
  }
}

/** The clock had been wrong by more than a week when the slot was taken. */
function isFarAhead(taken: string | undefined, today: number): boolean {
  return taken !== undefined && Date.parse(`${taken}T00:00Z`) > today + LOOK_DAYS * DAY_MS;
}

/** The slot to note instead of one that was taken while the clock was weeks ahead: what has begun by now may have been sent. */
export function mendedSlot(
  schedule: { days: readonly number[]; minute: number },
  taken: string | undefined,
  now: number,
  zone = new TimeZone(),
): string | undefined {
  if (!isFarAhead(taken, Date.parse(`${zone.dayOf(now)}T00:00Z`))) return undefined;
  return slotOf(schedule, { taken: undefined, since: 0 }, now, zone).day;
}

/**
 * The latest slot that has begun and was not taken, otherwise the next one. Slots up to `taken` are over, whatever the clock
 * says now. One from far ahead is no slot: see `mendedSlot`.
 */
export function slotOf(
  { days, minute }: { days: readonly number[]; minute: number },
  { taken, since }: { taken: string | undefined; since: number },
  now: number,
  zone = new TimeZone(),
): Slot {
  const today = Date.parse(`${zone.dayOf(now)}T00:00Z`);
  const last = isFarAhead(taken, today) ? "" : (taken ?? "");
  const slotOn = (ahead: number): Slot | undefined => {
    const wall = today + ahead * DAY_MS;
    const day = new Date(wall).toISOString().slice(0, 10);
    if (day <= last || !days.includes(new Date(wall).getUTCDay())) return undefined;
    const at = zone.momentAt(wall + minute * MINUTE_MS);
    // A clock that was set back must not make it wait for the old time; nor must a damaged one.
    return at <= Math.min(since, now) ? undefined : { day, at };
  };
  for (let back = 0; back <= LOOK_DAYS; back++) {
    const begun = slotOn(-back);
    if (begun !== undefined && begun.at <= now) return begun;
  }
  for (let ahead = 0; ; ahead++) {
    const next = slotOn(ahead);
    if (next !== undefined && next.at > now) return next;
  }
}

function schedule(text: string): When | undefined {
  const [, named, time] = /^(.+?) (?:at )?(\S+)$/.exec(text) ?? [];
  const minute = minuteOf(time ?? "");
  const days = minute === undefined ? undefined : daysOf(named!);
  return days === undefined ? undefined : { kind: "every", days, minute: minute! };
}

function daysOf(text: string): readonly number[] | undefined {
  if (/^(?:daily|every day)$/.test(text)) return DAILY;
  if (/^(?:weekdays|every weekday)$/.test(text)) return WEEKDAYS;
  if (/^(?:weekends|every weekend)$/.test(text)) return WEEKEND;
  const names = /^every (.+)$/.exec(text)?.[1] ?? /^(\w+day)s$/.exec(text)?.[1];
  const days = names?.split(/, ?/).map(dayNumber);
  return days === undefined || days.includes(-1) ? undefined : [...new Set(days)].sort((a, b) => a - b);
}

/** -1 for any other word. */
function dayNumber(name: string): number {
  return DAYS.findIndex((day) => name === day || name === FULL[day]);
}

const FULL: Readonly<Record<string, string>> = {
  sun: "sunday",
  mon: "monday",
  tue: "tuesday",
  wed: "wednesday",
  thu: "thursday",
  fri: "friday",
  sat: "saturday",
};

function once(text: string, now: number, zone: TimeZone): When | undefined {
  const [, amount, unit] = /^in (\d{1,4}) ?(m|h|d)$/.exec(text) ?? [];
  if (unit !== undefined) return { kind: "once", at: now + Number(amount) * UNITS[unit]! };
  if (/^\d{4}-\d{2}-\d{2}t/.test(text)) {
    const moment = parseDateRange(text.toUpperCase(), undefined, zone);
    return moment && { kind: "once", at: moment.from };
  }
  const [, named, time = ""] = /^(?:(.+?) (?:at )?)?(\S+)$/.exec(text) ?? [];
  const minute = minuteOf(time);
  if (minute === undefined) return undefined;
  const today = Date.parse(`${zone.dayOf(now)}T00:00Z`);
  const at = (day: number): When => ({ kind: "once", at: zone.momentAt(day + minute * MINUTE_MS) });
  const isOver = zone.momentAt(today + minute * MINUTE_MS) <= now;
  if (named === undefined) return at(isOver ? today + DAY_MS : today);
  if (named === "today") return at(today);
  if (named === "tomorrow") return at(today + DAY_MS);
  const weekday = dayNumber(named);
  if (weekday !== -1) {
    const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7;
    return at(today + (ahead === 0 && isOver ? 7 : ahead) * DAY_MS);
  }
  const date = /^\d{4}-\d{2}-\d{2}$/.test(named) ? parseDateRange(named, undefined, zone) : undefined;
  return date && at(Date.parse(`${named}T00:00Z`));
}

/** Minutes since midnight from `9:00`, `09:30`, `9am`, `9:30pm`. */
function minuteOf(text: string): number | undefined {
  const [, hour, minute = "0", half] = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/.exec(text) ?? [];
  if (hour === undefined || (!text.includes(":") && half === undefined) || Number(minute) > 59) return undefined;
  if (half === undefined) return Number(hour) > 23 ? undefined : Number(hour) * 60 + Number(minute);
  if (Number(hour) < 1 || Number(hour) > 12) return undefined;
  return ((Number(hour) % 12) + (half === "pm" ? 12 : 0)) * 60 + Number(minute);
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}
