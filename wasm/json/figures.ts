/**
 * Objects that are the same line after line but for the figures in them, such as the usage of a request: the text of the last
 * one, with its numbers left out, is compared with the next, and only the numbers are read. What does not fit is parsed.
 */
import {
  allocate,
  ARRAY,
  at,
  FLAG_FIGURES,
  ITEM_FIELD,
  KINDS,
  MAX_NODES,
  NODE_FLAGS,
  NUMBER,
  NUMBERS,
  OBJECT,
  PLACES,
} from "./memory";
import { isSame } from "./text";

// A form: u32 pieces, u32 notes, and u8 for each node: what the object has there; then the pieces, the notes, and the text.
const PIECES: usize = 0;
const NOTES: usize = 4;
const KINDS_OF: usize = 16;
// A piece of text with a number behind it, loaded at once: u16 start in the text, u16 length, u16 node of the number, u16 notes.
const PIECE: usize = KINDS_OF + <usize>MAX_NODES;
const PIECE_SIZE: usize = 8;
const MAX_PIECES: u32 = 48;
// What a piece has at a node: u32 node, u32 where it starts in the piece, u32 where it ends; what else is noted of it: u64, f64.
const NOTE: usize = PIECE + <usize>(MAX_PIECES + 1) * PIECE_SIZE;
const NOTE_SIZE: usize = 32;
const MAX_NOTES: u32 = 24;
const TEXT: usize = NOTE + <usize>MAX_NOTES * NOTE_SIZE;
const MAX_TEXT: usize = 1024;
const FORM_SIZE: usize = TEXT + MAX_TEXT + 64;
const MAX_DIGITS: usize = 15;

/** Of each node two forms, the one that fitted last before the other: u32 addresses. */
let forms: usize = 0;
let misses: u32 = 0;

/** The place behind an object of the node if it has one of its forms, with all noted that parsing it would; else 0. */
export function figures(p: usize, node: u32): usize {
  if (forms == 0) return 0;
  const first = forms + (<usize>node << 3);
  const form = <usize>load<u32>(first);
  if (form == 0) return 0;
  let after = matched(p, form);
  if (after != 0) return after;
  const other = <usize>load<u32>(first + 4);
  after = other == 0 ? 0 : matched(p, other);
  if (after == 0) return 0;
  store<u32>(first, <u32>other);
  store<u32>(first + 4, <u32>form);
  return after;
}

/** What is noted counts for nothing before its kind is, and that is noted in the end. */
function matched(p: usize, form: usize): usize {
  let piece = form + PIECE;
  const last = piece + <usize>load<u32>(form + PIECES) * PIECE_SIZE;
  let note = form + NOTE;
  let q = p;
  for (; ; piece += PIECE_SIZE) {
    const facts = load<u64>(piece);
    const length = <usize>((<u32>facts) >> 16);
    if (!isAt(q, form + TEXT + <usize>(facts & 0xffff), length)) return 0;
    for (let notes = facts >> 48; notes > 0; notes--) {
      noteFixed(note, <u32>q);
      note += NOTE_SIZE;
    }
    q += length;
    if (piece == last) break;
    const start = q;
    const digits = load<u64>(q) ^ 0x3030_3030_3030_3030;
    // The highest bit of the first byte that is no digit; what is behind that one does not matter.
    const others = ((digits + 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let value: u64;
    if (others != 0) {
      const bits = ctz(others) & 56;
      // A zero stands alone.
      if (bits == 0 || (bits > 8 && (digits & 0xff) == 0)) return 0;
      value = ofDigits(digits << (64 - bits));
      q += <usize>(bits >> 3);
    } else {
      if ((digits & 0xff) == 0) return 0;
      value = ofDigits(digits);
      q += 8;
      for (let c = at(q) - 48; c <= 9; c = at(++q) - 48) value = value * 10 + c;
      if (q - start > MAX_DIGITS) return 0;
    }
    // Those that nobody asked for go to the node that stands for them.
    const node = <usize>(<u32>(facts >> 32) & 0xffff);
    const place = PLACES + (node << 4);
    store<u64>(place, <u64>(<u32>start) | (<u64>q << 32));
    store<u64>(place, (<u64>1) << 32, 8);
    store<f64>(NUMBERS + (node << 3), <f64>value);
  }
  for (let i: usize = 0; i < <usize>MAX_NODES; i += 16) {
    v128.store(KINDS + i, v128.or(v128.load(KINDS + i), v128.load(form + i, KINDS_OF)));
  }
  return q;
}

// @ts-ignore: decorator
@inline
function noteFixed(note: usize, start: u32): void {
  const node = <usize>load<u32>(note);
  const place = PLACES + (node << 4);
  store<u32>(place, start + load<u32>(note + 4));
  store<u32>(place, start + load<u32>(note + 8), 4);
  store<u64>(place, load<u64>(note + 16), 8);
  store<f64>(NUMBERS + (node << 3), load<f64>(note + 24));
}

/** The number of eight digits, the first of them in the lowest byte. */
// @ts-ignore: decorator
@inline
function ofDigits(digits: u64): u64 {
  const pairs = ((digits * 2561) >> 8) & 0x00ff_00ff_00ff_00ff;
  const fours = ((pairs * 6_553_601) >> 16) & 0x0000_ffff_0000_ffff;
  return (fours * 42_949_672_960_001) >> 32;
}

/** Whether a text is at a place; reads, but does not compare, up to 15 bytes more. */
// @ts-ignore: decorator
@inline
function isAt(p: usize, text: usize, length: usize): bool {
  if (length < 16) return isSame(p, text, length);
  const last = length - 16;
  let differs = v128.xor(v128.load(p), v128.load(text));
  differs = v128.or(differs, v128.xor(v128.load(p + last), v128.load(text + last)));
  for (let i: usize = 16; i < last; i += 16) {
    differs = v128.or(differs, v128.xor(v128.load(p + i), v128.load(text + i)));
  }
  return !v128.any_true(differs);
}

/** Takes the form of an object of the node that was parsed, and everything in it noted. Not each time: some have many forms. */
export function learnForm(p: usize, after: usize, node: u32): void {
  if ((misses++ & 7) != 0 || after - p > MAX_TEXT) return;
  if (forms == 0) {
    forms = allocate(<usize>MAX_NODES << 3);
    memory.fill(forms, 0, <usize>MAX_NODES << 3);
  }
  const first = forms + (<usize>node << 3);
  let form = <usize>load<u32>(first + 4);
  if (form == 0) form = allocate(FORM_SIZE);
  // The other one is the likelier to be met again.
  const isTaken = take(p, after, node, form);
  store<u32>(first + 4, isTaken ? load<u32>(first) : 0);
  if (isTaken) store<u32>(first, <u32>form);
}

function take(p: usize, after: usize, node: u32, form: usize): bool {
  let pieces: u32 = 0;
  let start = p;
  store<u32>(form + NOTES, 0);
  for (let i: usize = 0; i < <usize>MAX_NODES; i += 16) v128.store(form + i, i64x2.splat(0), KINDS_OF);
  for (let q = p; q < after; ) {
    const c = at(q);
    if (c == 34) {
      q++;
      while (at(q) != 34) if (at(q++) == 92) return false;
      q++;
    } else if (c == 45 || c - 48 <= 9) {
      const number = q;
      let isPlain = true;
      for (; isOfNumber(at(q)); q++) if (at(q) - 48 > 9) isPlain = false;
      if (!isPlain || q - number > MAX_DIGITS) continue;
      if (pieces == MAX_PIECES || !takePiece(form, pieces, p, start, number, numberNodeAt(number), node)) return false;
      pieces++;
      start = q;
    } else q++;
  }
  if (!takePiece(form, pieces, p, start, after, 0, node)) return false;
  store<u32>(form + PIECES, pieces);
  memory.copy(form + TEXT, p, after - p);
  return true;
}

/** The text up to a number, or to the end, and what is noted of it. */
function takePiece(form: usize, index: u32, p: usize, start: usize, end: usize, number: u32, holder: u32): bool {
  const piece = form + PIECE + <usize>index * PIECE_SIZE;
  let notes = load<u32>(form + NOTES);
  const first = notes;
  if (number != 0) store<u8>(form + <usize>number, NUMBER, KINDS_OF);
  for (let node: u32 = 1; node < MAX_NODES; node++) {
    const kind = <u32>load<u8>(KINDS + <usize>node);
    if (kind == 0 || node == holder || load<u8>(ITEM_FIELD + <usize>node) != 0) continue;
    const place = PLACES + (<usize>node << 4);
    const from = <usize>load<u32>(place);
    if (from < start || from >= end) continue;
    if (notes == MAX_NOTES) return false;
    const fixed = form + NOTE + <usize>notes * NOTE_SIZE;
    notes++;
    // Where an object ends depends on its figures, and nobody asks.
    const close = kind == OBJECT || kind == ARRAY ? from : <usize>load<u32>(place + 4);
    store<u8>(form + <usize>node, kind, KINDS_OF);
    store<u32>(fixed, node);
    store<u32>(fixed, <u32>(from - start), 4);
    store<u32>(fixed, <u32>(close - start), 8);
    store<u64>(fixed, load<u64>(place + 8), 16);
    store<f64>(fixed, load<f64>(NUMBERS + (<usize>node << 3)), 24);
  }
  store<u32>(form + NOTES, notes);
  store<u16>(piece, <u16>(start - p));
  store<u16>(piece, <u16>(end - start), 2);
  store<u16>(piece, <u16>number, 4);
  store<u16>(piece, <u16>(notes - first), 6);
  return true;
}

function isOfNumber(c: u32): bool {
  return c - 48 <= 9 || c == 43 || c == 45 || c == 46 || (c | 32) == 101;
}

/** Which node's number begins at a place; 0 when nobody asked for it. */
function numberNodeAt(p: usize): u32 {
  for (let node: u32 = 1; node < MAX_NODES; node++) {
    if (load<u8>(KINDS + <usize>node) != NUMBER || load<u8>(ITEM_FIELD + <usize>node) != 0) continue;
    if (<usize>load<u32>(PLACES + (<usize>node << 4)) == p) return node;
  }
  return 0;
}

/** The objects of a node have figures in them. */
// @ts-ignore: decorator
@inline
export function hasForms(node: u32): bool {
  return (load<u8>(NODE_FLAGS + <usize>node) & FLAG_FIGURES) != 0;
}
