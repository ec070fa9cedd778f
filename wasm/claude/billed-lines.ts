/**
 * The lines of a transcript that can say something about money: those with a key "usage", or with "cost" at the beginning of
 * a key or a type. All others, which are most of the bytes, are not looked at any closer, nor checked.
 */
import { bytesEnd, isFinal, MORE, nextLine, place, setPlace } from "../json/line";
import { at } from "../json/memory";

// As they lie in memory: `"usage"`, and `cost` behind a quote.
const USAGE_KEY: u64 = 0x22_65_67_61_73_75_22;
const USAGE_BITS: u64 = 0xff_ff_ff_ff_ff_ff_ff;
const COST: u32 = 0x74_73_6f_63;

/** As `nextLine`, with lines left out that have neither. */
export function nextBilledLine(): i32 {
  const end = bytesEnd();
  const feeds = i8x16.splat(10);
  const quotes = i8x16.splat(34);
  const u = i8x16.splat(117);
  const a = i8x16.splat(97);
  const c = i8x16.splat(99);
  const s = i8x16.splat(115);
  let start = place();
  for (let p = start; p < end; p += 32) {
    const bytes = v128.load(p);
    const bytes2 = v128.load(p, 16);
    const second = v128.load(p, 1);
    const second2 = v128.load(p, 17);
    const fourth = v128.load(p, 3);
    const fourth2 = v128.load(p, 19);
    const keys = v128.or(
      v128.and(i8x16.eq(second, u), i8x16.eq(fourth, a)),
      v128.and(i8x16.eq(second, c), i8x16.eq(fourth, s)),
    );
    const keys2 = v128.or(
      v128.and(i8x16.eq(second2, u), i8x16.eq(fourth2, a)),
      v128.and(i8x16.eq(second2, c), i8x16.eq(fourth2, s)),
    );
    const found = v128.or(i8x16.eq(bytes, feeds), v128.and(i8x16.eq(bytes, quotes), keys));
    const found2 = v128.or(i8x16.eq(bytes2, feeds), v128.and(i8x16.eq(bytes2, quotes), keys2));
    if (!v128.any_true(v128.or(found, found2))) continue;
    let bits = <u32>i8x16.bitmask(found) | ((<u32>i8x16.bitmask(found2)) << 16);
    for (; bits != 0; bits &= bits - 1) {
      const q = p + <usize>ctz(bits);
      if (q >= end) break;
      if (at(q) == 10) {
        start = q + 1;
        continue;
      }
      if ((load<u64>(q) & USAGE_BITS) != USAGE_KEY && load<u32>(q + 1) != COST) continue;
      setPlace(start);
      return nextLine();
    }
  }
  setPlace(isFinal() ? end : start);
  return MORE;
}
