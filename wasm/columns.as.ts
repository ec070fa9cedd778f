/**
 * What is asked of long columns of numbers, which are put at an address piece by piece. JavaScript's side is src/lib/columns.ts.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/lib/columns.gen.ts.
 */

/** A byte for each value of a key's last 16 bits. */
const MARKS: usize = 1024;
const MARKS_BYTES: usize = 65_536;
const ROOM: usize = MARKS + MARKS_BYTES;

/** Where marks are put. */
export function marks(): usize {
  return MARKS;
}

/** Makes room for so many bytes of a column; gives their address. */
export function room(bytes: usize): usize {
  const missing = <i32>((ROOM + bytes + 65_535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return ROOM;
}

/** Puts the places of keys whose last bits are marked behind the keys; gives how many there are. */
export function select(count: usize): usize {
  const keys = ROOM;
  const found = ROOM + 4 * count;
  let to = found;
  for (let place: usize = 0; place < count; place++) {
    if (load<u8>(MARKS + <usize>load<u16>(keys + 4 * place)) !== 0) {
      store<u32>(to, <u32>place);
      to += 4;
    }
  }
  return (to - found) >> 2;
}

/** A sum with so many numbers added to it, one after the other. */
export function sum(start: f64, count: usize): f64 {
  const end = ROOM + 8 * count;
  for (let p = ROOM; p < end; p += 8) start += load<f64>(p);
  return start;
}
