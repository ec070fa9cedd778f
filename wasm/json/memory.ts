/**
 * Where things lie in the module's memory. The part up to KEY_TABLE is shared with JavaScript (src/lib/json-lines.ts has
 * the same numbers). A node is a place in the structure that is asked for; node 1 is the line's own object, node 0 stands
 * for all that nobody asked for. Those of the places that are asked for follow, in their order.
 */
export const HEADER: usize = 0; // i32: start of the line, its end, items, whether a line feed ended it
export const NODE_FLAGS: usize = 64; // u8 for each node
export const ITEM_FIELD: usize = 128; // u8 for each node: its number among the fields of an item, from 1
export const KINDS: usize = 192; // u8 for each node: what the line has there
export const PLACES: usize = 256; // 4 x i32 for each node: start, end, id, whether the number is parsed
export const NUMBERS: usize = 1280; // f64 for each node
export const PREFIXES: usize = 1792; // i32: how many; 16 bytes on, i32 length and 60 bytes for each
export const SCRATCH: usize = 2816; // where JavaScript puts strings
export const ITEMS: usize = 16_384; // 4 x i32 for each field of each item: kind, start, end, id
export const MAX_ITEMS: i32 = 1024;
export const KEY_TABLE: usize = 81_920; // u32 parent node, u32 address of the key, for each slot
export const KEYS: usize = 98_304; // entries of 256 bytes
const FREE: usize = 360_448;

export const FLAG_ID: u32 = 1;
export const FLAG_TIME: u32 = 2;
export const FLAG_PARENT: u32 = 4;
export const FLAG_ITEMS: u32 = 8;
export const FLAG_WORD: u32 = 16;
/** An id that nobody asks for at present. */
export const FLAG_PASSED_ID: u32 = 32;
/** An object that is mostly the same but for its numbers. */
export const FLAG_FIGURES: u32 = 64;
export const MAX_NODES: u32 = 64;
/** The node of the place that was asked for first. */
export const FIRST_FIELD: usize = 2;

export const NULL: u32 = 1;
export const FALSE: u32 = 2;
export const TRUE: u32 = 3;
export const NUMBER: u32 = 4;
export const STRING: u32 = 5;
export const ARRAY: u32 = 6;
export const OBJECT: u32 = 7;

// @ts-ignore: decorator
@inline
export function at(p: usize): u32 {
  return load<u8>(p);
}

// Memory is only ever added to; tables and buffers double, so at most half of it is left behind.
let top: usize = FREE;
let grown: bool = false;
/** Vectors are loaded whole, beyond the last byte of a line. */
const SLACK: usize = 64;

export function allocate(bytes: usize): usize {
  const start = top;
  top += (bytes + 63) & ~63;
  const missing = <i32>((top + SLACK + 65_535) >> 16) - memory.size();
  if (missing > 0) {
    memory.grow(missing);
    grown = true;
  }
  return start;
}

/** Memory has grown since the last answer: JavaScript has to look at it anew. */
export const MOVED: i32 = 4;

/** An answer to JavaScript, with MOVED where that is so. */
export function answered(state: i32): i32 {
  const answer = grown ? state | MOVED : state;
  grown = false;
  return answer;
}
