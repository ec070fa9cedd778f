/**
 * Texts as they lie in JSON: strings are found in values and decoded, so that they need not be made JavaScript's and back.
 * What begins like encoded binary data is left out (src/sessions/search/document.ts says why). Bytes that are no UTF-8 become
 * what JavaScript makes of them.
 */
import { allocate } from "./memory";

/** As TEXT, MORE_TEXT and VALUE in src/agents/text-message.ts. */
const MORE_TEXT: u32 = 1;
const VALUE: u32 = 2;

/** Deeper data is not searched; as in document.ts. */
const MAX_DEPTH: i32 = 32;
/** Letters in a row that no text begins with; as in document.ts. */
const ENCODED: u32 = 512;
const MAX_MEDIA_TYPE: u32 = 100;

const FIRST_ROOM: usize = 262_144;

const QUOTE: u32 = 34;
const BACKSLASH: u32 = 92;

/** Where the value goes on, and where what was given ends. */
let at: usize = 0;
let end: usize = 0;
let depth: i32 = 0;
let isValue: bool = false;
/** The text that the next one goes on with was left out. */
let isLeftOut: bool = false;
/** Room for decoded text. */
let text: usize = 0;
let room: usize = 0;
let textEnd: usize = 0;
let units: u32 = 0;
let allUnits: u32 = 0;

export function startJson(): void {
  room = 0;
  isLeftOut = false;
}

/** Takes a piece of JSON, texts of which `nextText` gives. */
export function setJson(what: u32, from: usize, to: usize): void {
  at = from;
  end = to;
  depth = 0;
  isValue = what == VALUE;
  if (!isValue && what != MORE_TEXT) isLeftOut = false;
  // Only what is broken gets longer; whole vectors are written.
  const most: usize = 3 * (to - from) + 32;
  if (most > room) {
    room = max(most, FIRST_ROOM);
    text = allocate(room);
  }
  if (what == MORE_TEXT && !isLeftOut) allUnits += 2;
  hasMore = what == MORE_TEXT;
}

let hasMore: bool = false;

/** UTF-16 units of all texts since this was last asked. */
export function takeUnits(): u32 {
  const taken = allUnits;
  allUnits = 0;
  return taken;
}

export function textStart(): usize {
  return text;
}

export function textStop(): usize {
  return textEnd;
}

/** Whether there is a further text; it lies decoded where `textStart` says. */
export function nextText(): bool {
  for (;;) {
    let from = at;
    let to = end;
    if (isValue) {
      if (!findString()) return false;
      from = stringStart;
      to = stringEnd;
    } else {
      if (at == end) return false;
      at = end;
    }
    if (isLeftOut && hasMore) return false;
    units = 0;
    decode(from, to);
    if (textEnd == text) continue;
    if (!hasMore && isEncoded()) {
      if (!isValue) isLeftOut = true;
      continue;
    }
    allUnits += units;
    return true;
  }
  return false;
}

let stringStart: usize = 0;
let stringEnd: usize = 0;

/** The next string of the value that is no key. */
function findString(): bool {
  while (at < end) {
    const c: u32 = load<u8>(at);
    if (c == QUOTE) {
      stringStart = at + 1;
      stringEnd = closingQuote(at + 1);
      at = stringEnd + 1;
      let after = at;
      while (after < end && load<u8>(after) <= 32) after++;
      if (depth > 0 && after < end && load<u8>(after) == 58) {
        at = after + 1;
        continue;
      }
      if (depth == 0) at = end;
      if (depth <= MAX_DEPTH + 1) return true;
    } else if (c == 123 || c == 91) {
      depth++;
      at++;
    } else if (c == 125 || c == 93) {
      at++;
      if (--depth <= 0) at = end;
    } else if (depth == 0 && c > 32) at = end;
    else at++;
  }
  return false;
}

function closingQuote(p: usize): usize {
  const quotes = i8x16.splat(34);
  const slashes = i8x16.splat(92);
  for (;;) {
    while (p + 16 <= end) {
      const bytes = v128.load(p);
      if (v128.any_true(v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, slashes)))) break;
      p += 16;
    }
    for (; p < end; p++) {
      const c: u32 = load<u8>(p);
      if (c == QUOTE) return p;
      if (c == BACKSLASH) break;
    }
    if (p >= end) return end;
    p += 2;
  }
  return end;
}

/** Writes what a string stands for. */
function decode(from: usize, to: usize): void {
  const slashes = i8x16.splat(92);
  const zero = i8x16.splat(0);
  let out = text;
  while (from < to) {
    while (from + 16 <= to) {
      const bytes = v128.load(from);
      if (v128.any_true(v128.or(i8x16.eq(bytes, slashes), i8x16.lt_s(bytes, zero)))) break;
      v128.store(out, bytes);
      from += 16;
      out += 16;
      units += 16;
    }
    while (from < to) {
      const c: u32 = load<u8>(from);
      if (c == BACKSLASH) {
        from = escape(from, to, out);
        out = written;
        // What follows is mostly a long stretch.
        break;
      }
      if (c >= 0x80) {
        const width = character(from, to);
        if (isBroken) {
          out = encode(0xfffd, out);
          units++;
        } else {
          store<u32>(out, load<u32>(from));
          out += width;
          units += width == 4 ? 2 : 1;
        }
        from += width;
        continue;
      }
      store<u8>(out++, c);
      from++;
      units++;
    }
  }
  textEnd = out;
}

let isBroken: bool = false;

/** Bytes of a character outside ASCII; of a broken one, those that could have been a whole one's. */
function character(p: usize, to: usize): usize {
  const first: u32 = load<u8>(p);
  isBroken = true;
  if (first < 0xc2 || first > 0xf4 || p + 1 >= to) return 1;
  const second: u32 = load<u8>(p + 1);
  const least: u32 = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const most: u32 = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 1;
  const width: usize = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i: usize = 2; i < width; i++) if (p + i >= to || (load<u8>(p + i) & 0xc0) != 0x80) return i;
  isBroken = false;
  return width;
}

let written: usize = 0;

/** Writes what an escape stands for, to `out`; answers where it ends. */
function escape(p: usize, to: usize, out: usize): usize {
  const meaning: u32 = load<u8>(p + 1);
  units++;
  if (meaning != 117) {
    store<u8>(out, plain(meaning));
    written = out + 1;
    return p + 2;
  }
  let unit = hex(p + 2);
  p += 6;
  if ((unit & 0xfc00) == 0xd800 && p + 6 <= to && load<u16>(p) == 0x755c) {
    const low = hex(p + 2);
    if ((low & 0xfc00) == 0xdc00) {
      unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
      units++;
      p += 6;
    }
  }
  // Half of a pair is no character.
  if ((unit & 0xf800) == 0xd800 && unit < 0x10000) unit = 0xfffd;
  written = encode(unit, out);
  return p;
}

function plain(meaning: u32): u32 {
  switch (meaning) {
    case 110:
      return 10;
    case 116:
      return 9;
    case 114:
      return 13;
    case 98:
      return 8;
    case 102:
      return 12;
    default:
      return meaning;
  }
}

function hex(p: usize): u32 {
  let value: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const c: u32 = load<u8>(p + i);
    value = (value << 4) | (c < 58 ? c - 48 : (c | 32) - 87);
  }
  return value;
}

function encode(point: u32, out: usize): usize {
  if (point < 0x80) {
    store<u8>(out, point);
    return out + 1;
  }
  if (point < 0x800) {
    store<u8>(out, 0xc0 | (point >> 6));
    store<u8>(out + 1, 0x80 | (point & 0x3f));
    return out + 2;
  }
  if (point < 0x10000) {
    store<u8>(out, 0xe0 | (point >> 12));
    store<u8>(out + 1, 0x80 | ((point >> 6) & 0x3f));
    store<u8>(out + 2, 0x80 | (point & 0x3f));
    return out + 3;
  }
  store<u8>(out, 0xf0 | (point >> 18));
  store<u8>(out + 1, 0x80 | ((point >> 12) & 0x3f));
  store<u8>(out + 2, 0x80 | ((point >> 6) & 0x3f));
  store<u8>(out + 3, 0x80 | (point & 0x3f));
  return out + 4;
}

/** Whether the text begins like encoded data, with or without its media type before it. */
function isEncoded(): bool {
  if (units < ENCODED) return false;
  if (load<u32>(text) != 0x61746164 || load<u8>(text + 4) != 58) return isEncodedFrom(text);
  let p = text + 5;
  for (let count: u32 = 0; count <= MAX_MEDIA_TYPE && p < textEnd; count++) {
    const c: u32 = load<u8>(p);
    if (c == 44) return isEncodedFrom(p + 1);
    p += c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (c >= 0xf0) count++;
  }
  return false;
}

function isEncodedFrom(p: usize): bool {
  if (p + ENCODED > textEnd) return false;
  for (const stop = p + ENCODED; p < stop; p++) {
    const c: u32 = load<u8>(p);
    const isLetter = (c | 32) - 97 < 26 || c - 48 < 10;
    if (!isLetter && c != 95 && c != 43 && c != 47 && c != 61 && c != 45) return false;
  }
  return true;
}
