/**
 * A checksum of bytes that are put at an address, piece by piece. JavaScript's side is src/lib/checksum.ts.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/lib/checksum.gen.ts.
 */
const ROOM: usize = 1024;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

let first: u64 = 0;
let second: u64 = 0;

/** Makes room for so many bytes, and 16 more; gives their address. */
export function room(bytes: usize): usize {
  const missing = <i32>((ROOM + bytes + 16 + 65_535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return ROOM;
}

/** Begins with bytes of which there are so many in all. */
export function start(length: u32): void {
  first = <u64>length * FACTOR + 1;
  second = first ^ FACTOR;
}

/** Takes the bytes that were put there; behind the last ones must be zeros. */
export function take(length: usize): void {
  let a = first;
  let b = second;
  for (let p = ROOM; p < ROOM + length; p += 16) {
    a = (a ^ load<u64>(p)) * FACTOR;
    b = (b ^ load<u64>(p, 8)) * FACTOR;
    a ^= a >> 32;
    b ^= b >> 32;
  }
  first = a;
  second = b;
}

export function result(): u32 {
  const mixed = (first ^ (second >> 7) ^ (second << 57)) * FACTOR;
  return <u32>(mixed >> 32);
}
