/**
 * Which words were met in the passage so far, by hashes of 64 bits: most words of a text are repetitions, and this table
 * is small enough to stay in the processor's cache. What does not fit goes on to the large table, which knows as well.
 */
const SLOTS: u32 = 16_384;
const MOST: u32 = 12_000;
const HASHES: usize = 65_536; // u64 for each slot
const PASSAGES: usize = 262_144; // u32 for each slot: in which passage it was taken

let passage: u32 = 0;
let count: u32 = 0;

export function startPassage(): void {
  passage++;
  count = 0;
}

/** Whether the hash was not met in this passage before. */
export function isNew(hash: u64): bool {
  let slot = (<u32>hash ^ <u32>(hash >> 29)) & (SLOTS - 1);
  for (;;) {
    if (load<u32>(PASSAGES + (<usize>slot << 2)) != passage) break;
    if (load<u64>(HASHES + (<usize>slot << 3)) == hash) return false;
    slot = (slot + 1) & (SLOTS - 1);
  }
  if (count < MOST) {
    count++;
    store<u32>(PASSAGES + (<usize>slot << 2), passage);
    store<u64>(HASHES + (<usize>slot << 3), hash);
  }
  return true;
}
