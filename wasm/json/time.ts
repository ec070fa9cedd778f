/** Dates as agents write them. */

// As they lie in memory: `0000-00-`, `00T00:00`, `:00.000Z`; and what makes a byte's highest bit say that it is more than 9, or
// more than 0 where there is no digit.
const DATE: u64 = 0x2d30_302d_3030_3030;
const DATE_LIMITS: u64 = 0x7f76_767f_7676_7676;
const HOUR: u64 = 0x3030_3a30_3054_3030;
const HOUR_LIMITS: u64 = 0x7676_7f76_767f_7676;
const SECOND: u64 = 0x5a30_3030_2e30_303a;
const SECOND_LIMITS: u64 = 0x7f76_7676_7f76_767f;

/** Milliseconds of `2026-01-31T12:00:00.000Z`; negative for any other form, which JavaScript's own parser gets. */
export function timeOf(p: usize, length: usize): i64 {
  if (length != 24) return -1;
  const a = load<u64>(p) ^ DATE;
  const b = load<u64>(p, 8) ^ HOUR;
  const c = load<u64>(p, 16) ^ SECOND;
  const beyond = (a + DATE_LIMITS) | a | (b + HOUR_LIMITS) | b | (c + SECOND_LIMITS) | c;
  if ((beyond & 0x8080_8080_8080_8080) != 0) return -1;
  const year = two(a, 0) * 100 + two(a, 16);
  const month = two(a, 40);
  const day = two(b, 0);
  const hour = two(b, 24);
  const minute = two(b, 48);
  const second = two(c, 8);
  const hundreds = <u32>(c >> 32) & 15;
  const milli = two(c, 40);
  if (year < 1970 || month - 1 > 11 || day - 1 > 30 || hour > 23 || minute > 59) return -1;
  if (second > 59) return -1;
  if (day > 28 && day > daysBefore(month == 12 ? year + 1 : year, (month % 12) + 1) - daysBefore(year, month))
    return -1;
  return (
    (((<i64>daysBefore(year, month) + <i64>day - 1) * 24 + <i64>hour) * 60 + <i64>minute) * 60_000 +
    <i64>(second * 1000 + hundreds * 100 + milli)
  );
}

/** The number of two digits, the first of them so many bits up. */
// @ts-ignore: decorator
@inline
function two(digits: u64, bits: u64): u32 {
  const both = <u32>(digits >> bits);
  return (both & 15) * 10 + ((both >> 8) & 15);
}

/** Days from 1970 to the first of a month, in the Gregorian calendar. */
function daysBefore(year: u32, month: u32): u32 {
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 9 : month - 3;
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 - 719_468;
}
