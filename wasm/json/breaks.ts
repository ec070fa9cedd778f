/** Where lines end in bytes that were cut out of a file. */

/** After the line that an address is in; at most `end`. */
export function lineEnd(p: usize, end: usize): usize {
  const feeds = i8x16.splat(10);
  // Of 64 bytes, whether there is one; then where.
  while (p + 64 <= end && !hasFeed(p, feeds)) p += 64;
  for (; p < end; p += 16) {
    const found = i8x16.eq(v128.load(p), feeds);
    if (v128.any_true(found)) return min(p + <usize>ctz(i8x16.bitmask(found)) + 1, end);
  }
  return end;
}

// @ts-ignore: decorator
@inline
function hasFeed(p: usize, feeds: v128): bool {
  const found = v128.or(i8x16.eq(v128.load(p), feeds), i8x16.eq(v128.load(p, 16), feeds));
  const found2 = v128.or(i8x16.eq(v128.load(p, 32), feeds), i8x16.eq(v128.load(p, 48), feeds));
  return v128.any_true(v128.or(found, found2));
}

/** After the last line that ends between two addresses; the first of these when none does. */
export function lastLineEnd(from: usize, end: usize): usize {
  const feeds = i8x16.splat(10);
  let p = end;
  while (p >= from + 64 && !hasFeed(p - 64, feeds)) p -= 64;
  for (; p >= from + 16; p -= 16) {
    const found = i8x16.eq(v128.load(p - 16), feeds);
    if (v128.any_true(found)) return p + 16 - <usize>clz(i8x16.bitmask(found));
  }
  while (p > from && load<u8>(p - 1) != 10) p--;
  return p;
}
