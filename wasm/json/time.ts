/** Dates as agents write them. */
import { at } from "./memory";

/** Milliseconds of `2026-01-31T12:00:00.000Z`; negative for any other form, which JavaScript's own parser gets. */
export function timeOf(p: usize, length: usize): i64 {
  if (length != 24 || at(p + 23) != 90 || at(p + 10) != 84 || at(p + 19) != 46) return -1;
  if (at(p + 4) != 45 || at(p + 7) != 45 || at(p + 13) != 58 || at(p + 16) != 58) return -1;
  const year = two(p) * 100 + two(p + 2);
  const month = two(p + 5);
  const day = two(p + 8);
  const hour = two(p + 11);
  const minute = two(p + 14);
  const second = two(p + 17);
  const hundreds = at(p + 20) - 48;
  const milli = two(p + 21);
  if (year > 9999 || year < 1970 || month - 1 > 11 || day - 1 > 30 || hour > 23 || minute > 59) return -1;
  if (second > 59 || hundreds > 9 || milli > 99) return -1;
  if (day > 28 && day > daysBefore(month == 12 ? year + 1 : year, (month % 12) + 1) - daysBefore(year, month))
    return -1;
  return (
    (((<i64>daysBefore(year, month) + <i64>day - 1) * 24 + <i64>hour) * 60 + <i64>minute) * 60_000 +
    <i64>(second * 1000 + hundreds * 100 + milli)
  );
}

/** Two digits; something above 9999 when they are none. */
function two(p: usize): u32 {
  const tens = at(p) - 48;
  const ones = at(p + 1) - 48;
  return tens > 9 || ones > 9 ? 0x10000 : tens * 10 + ones;
}

/** Days from 1970 to the first of a month, in the Gregorian calendar. */
function daysBefore(year: u32, month: u32): u32 {
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 9 : month - 3;
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 - 719_468;
}
