/** Dates of --since and --until. */
import type { TimeZone } from "../lib/values/time-zone.ts";
import { DATE_EXAMPLES, parseDateRange } from "../lib/values/typed-date.ts";
import { usageError } from "./command.ts";

/** The first moment of the named date for `since`, the last for `until`. */
export function parseDate(
  text: string,
  option: "since" | "until",
  { now, zone }: { now?: Date; zone?: TimeZone } = {},
): Date {
  const named = parseDateRange(text, now, zone);
  if (named === undefined) throw usageError(`--${option} takes a date such as ${DATE_EXAMPLES}, not "${text}".`);
  return new Date(option === "since" ? named.from : Math.max(named.from, named.to - 1));
}
