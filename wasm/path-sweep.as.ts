/**
 * Compares what a file system said of paths with what is kept of them. JavaScript's side is src/lib/path-sweep.ts.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/lib/path-sweep.gen.ts.
 */

/** Makes room up to there. */
export function room(end: usize): void {
  const missing = <i32>((end + 65_535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
}

/**
 * The first, from one of them on, that is not as it was; `end` where all are. At `values`, for each path, as many numbers as `stride` says,
 * some of which are its inode, its size and the seconds and nanoseconds of its time; at `stamps` three: inode, size and
 * milliseconds. An inode of -1: nothing is there.
 */
export function firstChange(
  from: i32,
  end: i32,
  values: usize,
  stamps: usize,
  stride: usize,
  ino: usize,
  size: usize,
  seconds: usize,
  nanoseconds: usize,
): i32 {
  for (let number = from; number < end; number++) {
    const value = values + 8 * stride * <usize>number;
    const stamp = stamps + 24 * <usize>number;
    const known = load<f64>(stamp);
    if (known !== load<f64>(value + 8 * ino)) return number;
    if (known === -1) continue;
    if (load<f64>(stamp + 8) !== load<f64>(value + 8 * size)) return number;
    // As Node computes it.
    const time = load<f64>(value + 8 * seconds) * 1000 + load<f64>(value + 8 * nanoseconds) / 1e6;
    if (load<f64>(stamp + 16) !== time) return number;
  }
  return end;
}
