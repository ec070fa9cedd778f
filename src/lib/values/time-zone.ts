/** Calendar days in a chosen time zone, or in the local one. */

/** Every offset in use since 2000 is a multiple of this, so no day ends inside such an interval. */
const STRETCH_MS = 15 * 60_000;
const DAY_MS = 24 * 3_600_000;

/** A formatter costs more than most requests that name a zone. Zones can be written in more ways than are worth keeping. */
const known = new Set<string>();
const MAX_KNOWN = 100;

export function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  try {
    Intl.DateTimeFormat("en-US", { timeZone: name });
    if (known.size < MAX_KNOWN) known.add(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

export class TimeZone {
  /** Undefined for the local zone, which Date handles: loading Intl's tables takes 10 ms. */
  readonly #format: Intl.DateTimeFormat | undefined;
  /** Offset by UTC day, since the formatter costs more than pricing a request. Undefined on days when it changes. */
  readonly #offsets = new Map<number, number | undefined>();
  readonly #names = new Map<number, string>();

  /** Throws a RangeError for an unknown zone; uses the local one by default. */
  constructor(name?: string) {
    if (name === undefined) return;
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  }

  /** IANA name. */
  get name(): string {
    return (this.#format ?? new Intl.DateTimeFormat()).resolvedOptions().timeZone;
  }

  /** `YYYY-MM-DD HH:00` of a moment. An hour that is set back counts as one. */
  hourOf(ms: number): string {
    return `${new Date(this.#stretchOf(ms)).toISOString().slice(0, "2026-11-17T09".length).replace("T", " ")}:00`;
  }

  /** `YYYY-MM-DD` of a moment. */
  dayOf(ms: number): string {
    const day = Math.floor(this.#stretchOf(ms) / DAY_MS);
    let name = this.#names.get(day);
    if (name === undefined) this.#names.set(day, (name = new Date(day * DAY_MS).toISOString().slice(0, 10)));
    return name;
  }

  /** What the clocks show (as UTC) at the start of the interval with this moment. */
  #stretchOf(ms: number): number {
    const start = Math.floor(ms / STRETCH_MS) * STRETCH_MS;
    const offset = this.#offsetOn(Math.floor(start / DAY_MS));
    return offset === undefined ? this.#wallClock(start) : start + offset;
  }

  /** No zone has changed its clocks twice within a UTC day since 1970. */
  #offsetOn(day: number): number | undefined {
    if (this.#offsets.has(day)) return this.#offsets.get(day);
    const offset = this.#offset(day * DAY_MS);
    const isSame = offset === this.#offset((day + 1) * DAY_MS);
    this.#offsets.set(day, isSame ? offset : undefined);
    return isSame ? offset : undefined;
  }

  /** `YYYY-MM-DD HH:MM:SS` of a moment. */
  timeOf(ms: number): string {
    return new Date(this.#wallClock(ms)).toISOString().slice(0, 19).replace("T", " ");
  }

  /** First moment when the clocks show this time (given as UTC); if they skip it, the moment of the skip. */
  momentAt(wall: number): number {
    // The offset a day earlier is right unless it changed since; then the one at the guess is.
    const guess = wall - this.#offset(wall - DAY_MS);
    const other = wall - this.#offset(guess);
    const candidates = [Math.min(guess, other), Math.max(guess, other)];
    return candidates.find((ms) => ms + this.#offset(ms) === wall) ?? guess;
  }

  #offset(ms: number): number {
    const second = Math.floor(ms / 1000) * 1000;
    return this.#wallClock(second) - second;
  }

  /** The wall clock time, encoded as UTC. */
  #wallClock(ms: number): number {
    if (this.#format === undefined) return ms - new Date(ms).getTimezoneOffset() * 60_000;
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(ms)) parts[type] = Number(value);
    const { year, month, day, hour, minute, second } = parts as Record<string, number>;
    return Date.UTC(year!, month! - 1, day!, hour, minute, second);
  }
}
