/** What a line has at the nodes: noted in memory, where JavaScript reads it. */
import { numberOf, wordOf } from "./ids";
import {
  FLAG_ID,
  FLAG_PASSED_ID,
  FLAG_TIME,
  FLAG_WORD,
  ITEM_FIELD,
  ITEMS,
  KINDS,
  MAX_ITEMS,
  MAX_NODES,
  NODE_FLAGS,
  NUMBERS,
  PLACES,
  STRING,
} from "./memory";
import { hashOf, isPlain } from "./text";
import { timeOf } from "./time";

let odd: bool = false;
/** A number, date or word that is asked for could not be read here. */
let unread: bool = false;
let items: i32 = 0;
let itemFields: i32 = 0;

export function setItemFields(count: i32): void {
  itemFields = count;
}

export function startNotes(): void {
  const zero = i64x2.splat(0);
  v128.store(KINDS, zero);
  v128.store(KINDS + 16, zero);
  v128.store(KINDS + 32, zero);
  v128.store(KINDS + 48, zero);
  odd = false;
  unread = false;
  items = 0;
}

/** The line has to be parsed. */
export function setOdd(): void {
  odd = true;
}

export function isOdd(): bool {
  return odd;
}

export function setUnread(): void {
  unread = true;
}

/** False when every value of the line that is asked for was read, so that none of them has to be looked at for that. */
export function hasUnread(): bool {
  return unread;
}

export function startItem(): void {
  if (items == MAX_ITEMS) {
    odd = true;
    return;
  }
  const row = ITEMS + <usize>(items * itemFields) * 16;
  for (let i: usize = 0; i < <usize>itemFields; i++) v128.store(row + i * 16, i64x2.splat(0));
  items++;
}

export function itemCount(): i32 {
  return items;
}

/** Where a field of an item is noted. */
export function itemPlace(item: i32, field: i32): usize {
  return ITEMS + <usize>(item * itemFields + field) * 16;
}

let onlyId: u32 = 0;

/** Numbers the ids of all nodes, or of a single one: each takes a look at its bytes and into a table. */
export function numberIds(only: u32): void {
  if (only == onlyId) return;
  onlyId = only;
  for (let node: u32 = 1; node < MAX_NODES; node++) {
    const flags = flagsOf(node);
    if ((flags & (FLAG_ID | FLAG_PASSED_ID)) == 0) continue;
    const isWanted = only == 0 || only == node;
    const others = flags & ~(FLAG_ID | FLAG_PASSED_ID);
    store<u8>(NODE_FLAGS + <usize>node, others | (isWanted ? FLAG_ID : FLAG_PASSED_ID));
  }
}

// @ts-ignore: decorator
@inline
export function flagsOf(node: u32): u32 {
  return load<u8>(NODE_FLAGS + <usize>node);
}

/** Notes what lies at a node: in its own place or, for a field of an item, in the item's row. */
export function take(node: u32, kind: u32, start: usize, close: usize): usize {
  const field = <i32>load<u8>(ITEM_FIELD + <usize>node);
  if (field != 0) {
    const place = itemPlace(items - 1, field - 1);
    if (load<i32>(place) != 0) odd = true;
    store<i32>(place, <i32>kind);
    store<i32>(place + 4, <i32>start);
    store<i32>(place + 8, <i32>close);
    return place;
  }
  if (load<u8>(KINDS + <usize>node) != 0) odd = true;
  store<u8>(KINDS + <usize>node, kind);
  const place = PLACES + (<usize>node << 4);
  store<u64>(place, <u64>start | (<u64>close << 32));
  store<u64>(place, 0, 8);
  return place;
}

export function takeString(node: u32, start: usize, close: usize): void {
  takeText(node, start, close, false);
}

/** The same for ASCII without escapes. */
export function takePlain(node: u32, start: usize, close: usize): void {
  takeText(node, start, close, true);
}

// @ts-ignore: decorator
@inline
function takeText(node: u32, start: usize, close: usize, isKnownPlain: bool): void {
  const place = take(node, STRING, start, close);
  const flags = flagsOf(node);
  // The same id may be written in several ways; only plain ones can be compared by their bytes.
  if ((flags & (FLAG_ID | FLAG_WORD)) != 0) {
    const number = load<u8>(ITEM_FIELD + <usize>node) != 0 ? place + 12 : place + 8;
    if ((flags & FLAG_WORD) != 0) {
      const word = wordOf(start, close - start);
      if (word == 0) unread = true;
      store<u32>(number, word);
    } else if (isKnownPlain || isPlain(start, close)) store<u32>(number, numberOf(hashOf(start, close - start)));
    else odd = true;
  } else if ((flags & FLAG_TIME) != 0) {
    const time = timeOf(start, close - start);
    if (time < 0) {
      unread = true;
      return;
    }
    store<f64>(NUMBERS + (<usize>node << 3), <f64>time);
    store<i32>(place + 12, 1);
  }
}

