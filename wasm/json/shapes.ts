/**
 * Shapes of lines that were met: agents write the same keys in the same order, line after line, so what stands between the
 * values is compared in a few long pieces, and only the values are looked at. A line that has none of the shapes is parsed,
 * and its shape learnt.
 */
import { allocate, at, FLAG_ID, FLAG_ITEMS, FLAG_PARENT, FLAG_PASSED_ID, FLAG_TIME, ITEM_FIELD } from "./memory";
import { KINDS, NUMBER, NUMBERS, PLACES } from "./memory";
import { NO_KEY } from "./keys";
import { flagsOf, hasUnread, itemCount, itemPlace, startItem, take, takePlain } from "./notes";
import { fail, isPlainString, isSame } from "./text";
import { CLOSING, END, HOLE, ITEM, OF_DEPTH, OF_KEY, OF_NODE, PLACE, traceAt, traceCount, WHAT } from "./trace";
import { value } from "./value";

// A tree of steps: a piece of text, what is to be noted of it, and the value behind it. What is looked at every time is in the
// first eight bytes, which are loaded at once: each load is checked to be within the memory.
const LENGTH: usize = 0; // u8 of the piece
const ADVANCE: usize = 1; // u8 to the value, whose first character may belong to the piece
const NOTES: usize = 2; // u8 how many
const KEPT: usize = 3; // u8 length of the last value, if it is short and there was reason to keep it; or 0
const SAME: usize = 4; // u8 length of the last value if it is a string that is compared by that; else 0
const NODE: usize = 5; // u8
const DEPTH: usize = 6; // i16, or one of the following
const LINE_END: i32 = -1;
const GOES_ON: i32 = -2;
const SIBLING: usize = 8; // u32 the step to try if this one does not fit
const NEXT: usize = 12; // u32 the step behind the value
const KEY: usize = 16; // u32
// Of the value that was kept
const WAIT: usize = 20; // i32 how often not to keep it; negative for never
const KEPT_KIND: usize = 24; // u32
const PROVEN: usize = 28; // u32: 1 when it did come again
const KEPT_PLACE: usize = 32; // v128 what is noted of it, but for where it is
const KEPT_NUMBER: usize = 48; // f64
const TEXT: usize = 64;
const KEPT_TEXT: usize = 128;
const MAX_TEXT: usize = 64;
const NOTE: usize = 192; // u32 what and node, i32 place before the value, for each
const MAX_NOTES: u32 = 6;
const STEP: usize = 256;
const MAX_STEPS: u32 = 1024;
const MAX_SIBLINGS: u32 = 12;

let steps: usize = 0;
let stepCount: u32 = 0;

/** The place behind a line's object if it has a known shape, with all noted that parsing it would; else 0. */
export function shaped(p: usize): usize {
  let step = steps == 0 ? 0 : <usize>load<u32>(steps);
  for (;;) {
    if (step == 0) return fail(p);
    const facts = load<u64>(step);
    if (!isSame(p, step + TEXT, <usize>byteOf(facts, LENGTH))) {
      step = <usize>load<u32>(step + SIBLING);
      continue;
    }
    p += <usize>byteOf(facts, ADVANCE);
    if (byteOf(facts, NOTES) != 0) note(step, p, byteOf(facts, NOTES));
    const depth = <i32>((<i64>facts) >> (<i64>DEPTH << 3));
    if (depth >= 0) {
      const kept = <usize>byteOf(facts, KEPT);
      const same = <usize>byteOf(facts, SAME);
      const node = byteOf(facts, NODE);
      // What a longer number or word would go on with, the next piece does not begin with.
      if (kept != 0 && isSame(p, step + KEPT_TEXT, kept)) {
        store<u32>(step + PROVEN, 1);
        if (node != 0) noteKept(step, node, p);
        p += kept;
      } else if (isPlainString(p, same)) {
        // Ids and dates are of one length, and most are plain.
        if (node != 0) takePlain(node, p + 1, p + 1 + same);
        p += same + 2;
      } else {
        const after = value(p, node, <usize>load<u32>(step + KEY), depth);
        if (after == 0) return 0;
        const wait = load<i32>(step + WAIT);
        if (wait == 0) keep(step, p, after);
        else if (wait > 0) store<i32>(step + WAIT, wait - 1);
        const length = at(p) == 34 ? after - p - 2 : 0;
        store<u8>(step + SAME, length >= 16 && length <= MAX_TEXT ? <u8>length : 0);
        p = after;
      }
    } else if (depth == LINE_END) return p;
    step = <usize>load<u32>(step + NEXT);
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function byteOf(facts: u64, place: usize): u32 {
  return (<u32>(facts >> (<u64>place << 3))) & 0xff;
}

function note(step: usize, p: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const entry = step + NOTE + ((<usize>i) << 3);
    const what = <u32>load<u16>(entry);
    const node = <u32>load<u16>(entry + 2);
    const place = p + load<i32>(entry + 4);
    if (what == ITEM) startItem();
    else if (what != CLOSING) take(node, what, place, place);
    else if (load<u8>(ITEM_FIELD + <usize>node) == 0) store<u32>(PLACES + ((<usize>node) << 4), <u32>place, 4);
  }
}

/** Lines of a known shape have nothing twice, so that is not looked for. */
// @ts-ignore: decorator
@inline
function noteKept(step: usize, node: u32, p: usize): void {
  const field = <i32>load<u8>(ITEM_FIELD + <usize>node);
  const noted = v128.load(step, KEPT_PLACE);
  const start = i32x4.splat(<i32>p);
  if (field != 0) {
    v128.store(itemPlace(itemCount() - 1, field - 1), i32x4.add(noted, v128.and(start, IN_ITEM)));
    return;
  }
  const kind = load<u32>(step + KEPT_KIND);
  store<u8>(KINDS + <usize>node, kind);
  v128.store(PLACES + (<usize>node << 4), i32x4.add(noted, v128.and(start, IN_LINE)));
  if (kind == NUMBER) store<f64>(NUMBERS + (<usize>node << 3), load<f64>(step + KEPT_NUMBER));
}

// Which parts of what is noted are addresses: in a node's own place, and in an item's row.
const IN_LINE = i32x4(-1, -1, 0, 0);
const IN_ITEM = i32x4(0, -1, -1, 0);

/** Values for which one that has turned out not to repeat is not kept. */
const PATIENCE: i32 = 64;
const NEVER: i32 = -1;

function keep(step: usize, p: usize, after: usize): void {
  const isRefuted = load<u8>(step + KEPT) != 0 && load<u32>(step + PROVEN) == 0;
  const c = at(p);
  store<u32>(step + PROVEN, 0);
  // Of what is kept nothing is left to be read.
  if (isRefuted || after - p > MAX_TEXT || c == 123 || c == 91 || hasUnread()) {
    store<u8>(step + KEPT, 0);
    store<i32>(step + WAIT, PATIENCE);
    return;
  }
  store<u8>(step + KEPT, <u8>(after - p));
  v128.store(step, v128.load(p), KEPT_TEXT);
  v128.store(step, v128.load(p, 16), KEPT_TEXT + 16);
  v128.store(step, v128.load(p, 32), KEPT_TEXT + 32);
  v128.store(step, v128.load(p, 48), KEPT_TEXT + 48);
  const node = <usize>load<u8>(step + NODE);
  if (node == 0) return;
  const field = <i32>load<u8>(ITEM_FIELD + node);
  const place = field != 0 ? itemPlace(itemCount() - 1, field - 1) : PLACES + (node << 4);
  const start = v128.and(i32x4.splat(<i32>p), field != 0 ? IN_ITEM : IN_LINE);
  v128.store(step, i32x4.sub(v128.load(place), start), KEPT_PLACE);
  store<u32>(step + KEPT_KIND, <u32>load<u8>(KINDS + node));
  store<f64>(step + KEPT_NUMBER, load<f64>(NUMBERS + (node << 3)));
}

/** Learns the shape of an object whose parsing was traced. */
export function learnShape(start: usize, after: usize): void {
  if (steps == 0) steps = allocate((<usize>MAX_STEPS + 1) * STEP);
  const count = traceCount();
  // Too many shapes: it begins anew, so that none is kept for good that does not come again.
  if (stepCount + 2 * count > MAX_STEPS) {
    store<u32>(steps, 0);
    stepCount = 0;
  }
  let link = steps;
  let from = start;
  let first: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = traceAt(i);
    if (load<u32>(entry + WHAT) != HOLE) continue;
    const step = stepOf(link, from, <usize>load<u32>(entry + PLACE), entry, first, i);
    if (step == 0) return;
    link = step + NEXT;
    from = <usize>load<u32>(entry + END);
    first = i + 1;
  }
  stepOf(link, from, after, 0, first, count);
}

/** The step for a piece of text with a hole behind it, or with the end of the line; 0 when there can be none. */
function stepOf(link: usize, from: usize, to: usize, hole: usize, first: u32, last: u32): usize {
  if (last - first > MAX_NOTES) return 0;
  for (; to - from >= MAX_TEXT; from += MAX_TEXT - 1) {
    const part = found(link, from, MAX_TEXT - 1, MAX_TEXT - 1, GOES_ON);
    if (part == 0) return 0;
    link = part + NEXT;
  }
  const advance = <u32>(to - from);
  const depth = hole == 0 ? LINE_END : load<i32>(hole + OF_DEPTH);
  const step = found(link, from, hole != 0 && isTold(hole) ? advance + 1 : advance, advance, depth);
  if (step == 0 || load<u8>(step + NODE) != NOT_SAID) return step;
  addNotes(step, first, last, to);
  const node = hole == 0 ? 0 : load<u32>(hole + OF_NODE);
  store<u8>(step + NODE, <u8>node);
  store<u32>(step + KEY, hole == 0 ? 0 : load<u32>(hole + OF_KEY));
  const isOwn = node != 0 && (flagsOf(node) & (FLAG_ID | FLAG_PASSED_ID | FLAG_TIME)) != 0;
  store<i32>(step + WAIT, isOwn ? NEVER : 0);
  return step;
}

/** Whether it depends on a value's first character how it is taken: as a whole, or piece by piece. */
function isTold(hole: usize): bool {
  const node = load<u32>(hole + OF_NODE);
  // Items of an array have no key.
  if (node == 0) return <usize>load<u32>(hole + OF_KEY) == NO_KEY;
  return (flagsOf(node) & (FLAG_PARENT | FLAG_ITEMS)) != 0;
}

/** A step that was not described yet. */
const NOT_SAID: u8 = 255;

/** Among the steps that may come next the one with a text; added if there is none. */
function found(link: usize, text: usize, length: u32, advance: u32, depth: i32): usize {
  let siblings: u32 = 0;
  for (let step = <usize>load<u32>(link); step != 0; step = <usize>load<u32>(link)) {
    if (
      <u32>load<u8>(step + LENGTH) == length &&
      <u32>load<u8>(step + ADVANCE) == advance &&
      <i32>load<i16>(step + DEPTH) == depth &&
      isSame(step + TEXT, text, <usize>length)
    )
      return step;
    if (++siblings == MAX_SIBLINGS) return 0;
    link = step + SIBLING;
  }
  if (stepCount == MAX_STEPS) return 0;
  const step = steps + <usize>++stepCount * STEP;
  memory.fill(step, 0, STEP);
  store<u8>(step + LENGTH, <u8>length);
  store<u8>(step + ADVANCE, <u8>advance);
  store<i16>(step + DEPTH, <i16>depth);
  store<u8>(step + NODE, NOT_SAID);
  memory.copy(step + TEXT, text, <usize>length);
  store<u32>(link, <u32>step);
  return step;
}

/** Of what was opened and closed in the piece that ends at `to`. */
function addNotes(step: usize, first: u32, last: u32, to: usize): void {
  for (let i = first; i < last; i++) {
    const entry = traceAt(i);
    const place = step + NOTE + ((<usize>(i - first)) << 3);
    store<u16>(place, <u16>load<u32>(entry + WHAT));
    store<u16>(place + 2, <u16>load<u32>(entry + OF_NODE));
    store<i32>(place + 4, <i32>load<u32>(entry + PLACE) - <i32>to);
  }
  store<u8>(step + NOTES, <u8>(last - first));
}
