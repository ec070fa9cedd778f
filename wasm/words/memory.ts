/** Memory that is only added to until all of it is forgotten. */

/** Below are the tables of fixed size (passage.ts). */
const FREE: usize = 524_288;
/** Vectors and words are loaded whole, beyond the last byte. */
const SLACK: usize = 64;

let top: usize = FREE;

export function allocate(bytes: usize): usize {
  const start = top;
  top += (bytes + 7) & ~7;
  const missing = <i32>((top + SLACK + 65_535) >> 16) - memory.size();
  // In larger steps: each one makes JavaScript look at memory anew.
  if (missing > 0) memory.grow(max(missing, 64));
  return start;
}

export function forget(): void {
  top = FREE;
}

/** Bytes in use. */
export function inUse(): usize {
  return top;
}
