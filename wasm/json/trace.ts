/**
 * What the parsing of a line went through, in order: values that were noted or passed over as a whole (holes), and what was
 * opened and closed around them. Of this a shape is made.
 */
import { allocate } from "./memory";

// Entries: u32 what, u32 node, u32 place; of a hole also u32 its end, u32 key, i32 depth.
export const HOLE: u32 = 0;
export const ITEM: u32 = 1;
export const CLOSING: u32 = 2;
/** Or an opened value: its kind, which is a larger number. */
export const WHAT: usize = 0;
export const OF_NODE: usize = 4;
export const PLACE: usize = 8;
export const END: usize = 12;
export const OF_KEY: usize = 16;
export const OF_DEPTH: usize = 20;
export const ENTRY: usize = 24;
const MAX_ENTRIES: u32 = 256;

let entries: usize = 0;
let count: u32 = 0;
let isOn: bool = false;

export function startTrace(): void {
  if (entries == 0) entries = allocate(<usize>MAX_ENTRIES * ENTRY);
  count = 0;
  isOn = true;
}

/** False when there was too much. */
export function endTrace(): bool {
  isOn = false;
  return count < MAX_ENTRIES;
}

export function traceAt(index: u32): usize {
  return entries + <usize>index * ENTRY;
}

export function traceCount(): u32 {
  return count;
}

// @ts-ignore: decorator
@inline
export function isTraced(): bool {
  return isOn;
}

/** Nothing is told of what is inside, until `endHole`. */
export function startHole(p: usize, node: u32, key: usize, depth: i32): void {
  const entry = add(HOLE, node, p);
  store<u32>(entry + OF_KEY, <u32>key);
  store<i32>(entry + OF_DEPTH, depth);
  isOn = false;
}

export function endHole(after: usize): usize {
  store<u32>(traceAt(count - 1) + END, <u32>after);
  isOn = true;
  return after;
}

export function traceItem(p: usize): void {
  if (isOn) add(ITEM, 0, p);
}

export function traceOpening(kind: u32, node: u32, p: usize): void {
  if (isOn) add(kind, node, p);
}

export function traceClosing(node: u32, after: usize): void {
  if (isOn) add(CLOSING, node, after);
}

/** When there are too many, the last one is written over. */
function add(what: u32, node: u32, p: usize): usize {
  if (count < MAX_ENTRIES) count++;
  const entry = traceAt(count - 1);
  store<u32>(entry + WHAT, what);
  store<u32>(entry + OF_NODE, node);
  store<u32>(entry + PLACE, <u32>p);
  return entry;
}
