/**
 * The lines of a transcript that can say something about money: replies, and records of costs. What a line is, its first keys
 * mostly tell; all others, which are most of the bytes, are not looked at any closer, nor checked.
 */
import { bytesEnd, isFinal, lineFeed, MORE, nextLine, place, setPlace } from "../json/line";
import { at } from "../json/memory";
import { string } from "../json/text";

// As they lie in memory: `"type":"`, `assi`, `cost`.
const TYPE_KEY: u64 = 0x22_3a_22_65_70_79_74_22;
const ASSISTANT: u32 = 0x69_73_73_61;
const COST: u32 = 0x74_73_6f_63;

/** As `nextLine`, with lines left out that are known to be of another type. */
export function nextBilledLine(): i32 {
  const end = bytesEnd();
  let start = place();
  while (start < end) {
    const typed = endOfOtherType(start);
    if (typed == 0) {
      setPlace(start);
      return nextLine();
    }
    const feedAt = lineFeed(typed);
    if (feedAt == end && !isFinal()) break;
    start = feedAt + 1;
  }
  setPlace(isFinal() ? end : start);
  return MORE;
}

/** The place behind a line's type if that bills nothing, and stands before anything nested; else 0. */
function endOfOtherType(start: usize): usize {
  if (at(start) != 123) return 0;
  let p = start + 1;
  for (;;) {
    if (load<u64>(p) == TYPE_KEY) {
      p += 8;
      const word = load<u32>(p);
      if (word == ASSISTANT || word == COST) return 0;
      while (at(p) - 97 < 26 || at(p) == 45) p++;
      return at(p) == 34 ? p : 0;
    }
    if (at(p) != 34) return 0;
    p = string(p + 1);
    if (p == 0 || at(p + 1) != 58) return 0;
    p += 2;
    const c = at(p);
    if (c == 34) {
      p = string(p + 1);
      if (p == 0) return 0;
      p++;
    } else {
      // null, true, false or a number; what else there is, is looked at.
      while (at(p) - 48 < 75) p++;
    }
    if (at(p) != 44) return 0;
    p++;
  }
  return 0;
}
