/** A time from a status file: in seconds as documented, or by mistake in smaller units. */
import { asNumber } from "../lib/json/fields.ts";

/** The year 5138: a larger number is in milliseconds or smaller units. */
const MAX_SECONDS = 1e11;
/** That year in nanoseconds, the smallest unit of `date`. */
const MAX_NANOSECONDS = 1e20;

/** 0 if it is not a time. */
export function unixSeconds(value: unknown): number {
  let seconds = asNumber(value) ?? 0;
  if (seconds < 0 || seconds > MAX_NANOSECONDS) return 0;
  while (seconds > MAX_SECONDS) seconds = Math.floor(seconds / 1000);
  return seconds;
}
