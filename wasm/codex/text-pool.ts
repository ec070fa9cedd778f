/** Texts that must outlive the lines they were read from, one behind the other. */
import { allocate, at } from "../json/memory";
import { placeOf } from "../json/fields";

let pool: usize = 0;
let capacity: u32 = 0;
let length: u32 = 0;

export function forgetTexts(): void {
  length = 0;
}

export function textPool(): usize {
  return pool;
}

export function textEnd(): u32 {
  return length;
}

/** Back to an earlier end. */
export function cutTexts(end: u32): void {
  length = end;
}

export function addBytes(start: usize, count: u32): void {
  makeRoom(count);
  memory.copy(pool + <usize>length, start, <usize>count);
  length += count;
}

export function addByte(byte: u32): void {
  makeRoom(1);
  store<u8>(pool + <usize>length, byte);
  length++;
}

/** A whole number in decimal. */
export function addNumber(value: f64): void {
  makeRoom(24);
  let rest = <u64>value;
  const start = length;
  do {
    store<u8>(pool + <usize>length, <u32>(rest % 10) + 48);
    length++;
    rest /= 10;
  } while (rest != 0);
  for (let i = start, j = length - 1; i < j; i++, j--) {
    const digit = load<u8>(pool + <usize>i);
    store<u8>(pool + <usize>i, load<u8>(pool + <usize>j));
    store<u8>(pool + <usize>j, digit);
  }
}

/** The string at a field. */
export function addField(field: usize): void {
  const place = placeOf(field);
  const start = load<u32>(place);
  addBytes(<usize>start, load<u32>(place + 4) - start);
}

/** Whether the string at a field is a text of the pool. */
export function isField(field: usize, start: u32, count: u32): bool {
  const place = placeOf(field);
  const from = <usize>load<u32>(place);
  if (load<u32>(place + 4) - <u32>from != count) return false;
  for (let i: usize = 0; i < <usize>count; i++) if (at(from + i) != at(pool + <usize>start + i)) return false;
  return true;
}

function makeRoom(count: u32): void {
  if (length + count <= capacity) return;
  const wider = max(65_536, 2 * (length + count));
  const moved = allocate(<usize>wider);
  if (pool != 0) memory.copy(moved, pool, <usize>length);
  pool = moved;
  capacity = wider;
}
