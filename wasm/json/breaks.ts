/** Where lines end in bytes that were cut out of a file. */

/** After the line that an address is in; at most `end`. */
export function lineEnd(p: usize, end: usize): usize {
  const feeds = i8x16.splat(10);
  for (; p < end; p += 16) {
    const found = i8x16.eq(v128.load(p), feeds);
    if (v128.any_true(found)) return min(p + <usize>ctz(i8x16.bitmask(found)) + 1, end);
  }
  return end;
}

/** After the last line that ends between two addresses; the first of these when none does. */
export function lastLineEnd(from: usize, end: usize): usize {
  const feeds = i8x16.splat(10);
  let p = end;
  for (; p >= from + 16; p -= 16) {
    const found = i8x16.eq(v128.load(p - 16), feeds);
    if (v128.any_true(found)) return p + 16 - <usize>clz(i8x16.bitmask(found));
  }
  while (p > from && load<u8>(p - 1) != 10) p--;
  return p;
}
