/** A moment as scripts write it into a status file: in seconds as documented, or by mistake in smaller units. */
import { asNumber } from "../lib/json/fields.ts";

/** The year 5138: a larger number counts thousandths, or thousandths of these. */
const MAX_SECONDS = 1e11;
/** Nanoseconds, the smallest unit that `date` writes, of that year. */
const MAX_NANOSECONDS = 1e20;

/** 0 for what is no moment. */
export function unixSeconds(value: unknown): number {
  let seconds = asNumber(value) ?? 0;
  if (seconds < 0 || seconds > MAX_NANOSECONDS) return 0;
  while (seconds > MAX_SECONDS) seconds = Math.floor(seconds / 1000);
  return seconds;
}
