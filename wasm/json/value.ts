/** Values of JSON, checked as strictly as JSON.parse does, with those that were asked for noted in memory. */
import { figures, hasForms, learnForm } from "./figures";
import { FIRST, follow, hasEscape, keyOf, LENGTH, NEXT, NO_KEY, NODE, TEXT, WAIT } from "./keys";
import {
  ARRAY,
  at,
  FALSE,
  FLAG_ITEMS,
  FLAG_PARENT,
  ITEM_FIELD,
  NULL,
  NUMBER,
  NUMBERS,
  OBJECT,
  TRUE,
} from "./memory";
import { flagsOf, hasUnread, isOdd, itemCount, setOdd, setUnread, startItem, take, takeString } from "./notes";
import { remember, repeated } from "./pairs";
import { fail, isSame, string } from "./text";
import { endHole, isTraced, startHole, traceClosing, traceItem, traceOpening } from "./trace";

const MAX_DEPTH: i32 = 500;

/** Agents write no blanks between tokens; this is for files that something else has re-written. */
// @ts-ignore: decorator
@inline
function blank(p: usize): usize {
  while (at(p) == 32 || at(p) == 9 || at(p) == 13) p++;
  return p;
}

/**
 * After the brace that opens it; gives the place after the one that closes it, 0 when it is no object. `holder` is the
 * key whose value it is, or is in: what comes first there is expected first here, so objects of one holder must all be of
 * the same node.
 */
export function object(p: usize, node: u32, holder: usize, depth: i32): usize {
  if (at(p) != 34) {
    p = blank(p);
    if (at(p) == 125) return p + 1;
  }
  if (depth > MAX_DEPTH) {
    setOdd();
    return fail(p);
  }
  let guess = holder + FIRST;
  for (;;) {
    let key = <usize>load<u32>(guess);
    let after = isTraced() ? 0 : repeated(p, key);
    if (after == 0) {
      if (!isSame(p, key + TEXT, <usize>load<u32>(key + LENGTH))) {
        key = <usize>load<u32>(guess + 4);
        if (!isSame(p, key + TEXT, <usize>load<u32>(key + LENGTH))) key = 0;
      }
      if (key != 0) {
        after = p + <usize>load<u32>(key + LENGTH);
        if (at(after) <= 32) after = blank(after);
        after = value(after, load<u32>(key + NODE), key, depth);
        if (after == 0) return 0;
        if (load<i32>(key + WAIT) > 0) store<i32>(key + WAIT, load<i32>(key + WAIT) - 1);
        else remember(p, after, key);
      } else {
        if (at(p) != 34) return fail(p);
        after = string(p + 1);
        if (after == 0) return 0;
        const length = <u32>(after - p - 1);
        if (hasEscape(p + 1, length)) {
          setOdd();
          key = NO_KEY;
        } else key = keyOf(node, p + 1, length);
        after++;
        if (at(after) == 58) {
          // Keys without an entry are not of one node, so what follows them tells nothing.
          if (key != NO_KEY && guess != NO_KEY + NEXT) follow(guess, key);
        } else {
          after = blank(after);
          if (at(after) != 58) return fail(after);
        }
        after++;
        if (at(after) <= 32) after = blank(after);
        after = value(after, load<u32>(key + NODE), key, depth);
        if (after == 0) return 0;
      }
    }
    p = after;
    let c = at(p);
    if (c <= 32) {
      p = blank(p);
      c = at(p);
    }
    if (c != 44) return c == 125 ? p + 1 : fail(p);
    if (at(++p) <= 32) p = blank(p);
    guess = key + NEXT;
  }
  return 0;
}

function array(p: usize, node: u32, holder: usize, depth: i32): usize {
  p = blank(p);
  if (at(p) == 93) return p + 1;
  if (depth > MAX_DEPTH) {
    setOdd();
    return fail(p);
  }
  for (;;) {
    if (at(p) == 123) {
      traceItem(p);
      startItem();
      p = object(p + 1, node, holder, depth + 1);
    } else p = value(p, 0, NO_KEY, depth);
    if (p == 0) return 0;
    p = blank(p);
    const c = at(p);
    if (c != 44) return c == 93 ? p + 1 : fail(p);
    p = blank(p + 1);
  }
  return 0;
}

/** What is at a place: noted if it has a node, only checked if that is 0. Gives the place after it, 0 when it is no value. */
export function value(p: usize, node: u32, key: usize, depth: i32): usize {
  if (!isTraced() || isOpened(p, node)) return valueAt(p, node, key, depth);
  startHole(p, node, key, depth);
  return endHole(valueAt(p, node, key, depth));
}

/** Of what is asked for, that in which more is asked for. */
function isOpened(p: usize, node: u32): bool {
  if (node == 0) return false;
  const flags = flagsOf(node);
  return at(p) == 123 ? (flags & FLAG_PARENT) != 0 && !hasForms(node) : at(p) == 91 && (flags & FLAG_ITEMS) != 0;
}

function valueAt(p: usize, node: u32, key: usize, depth: i32): usize {
  const c = at(p);
  if (c == 34) {
    const close = string(p + 1);
    if (close == 0) return 0;
    if (node != 0) takeString(node, p + 1, close);
    return close + 1;
  }
  if (c - 48 <= 9 || c == 45) return number(p, node);
  if (c == 123) {
    if (node == 0) return passObject(p + 1, depth + 1);
    const place = take(node, OBJECT, p, p);
    if (hasForms(node)) return ofFigures(p, node, key, depth);
    const isParent = (flagsOf(node) & FLAG_PARENT) != 0;
    traceOpening(OBJECT, node, p);
    const after = isParent ? object(p + 1, node, key, depth + 1) : passObject(p + 1, depth + 1);
    if (load<u8>(ITEM_FIELD + <usize>node) == 0) store<i32>(place + 4, <i32>after);
    traceClosing(node, after);
    return after;
  }
  if (c == 91) {
    if (node != 0) {
      take(node, ARRAY, p, p);
      if ((flagsOf(node) & FLAG_ITEMS) != 0) {
        traceOpening(ARRAY, node, p);
        return array(p + 1, node, key, depth + 1);
      }
    }
    return passArray(p + 1, depth + 1);
  }
  return word(p, node);
}

function ofFigures(p: usize, node: u32, key: usize, depth: i32): usize {
  const known = figures(p, node);
  if (known != 0) return known;
  const items = itemCount();
  const after = object(p + 1, node, key, depth + 1);
  if (after != 0 && !isOdd() && !hasUnread() && items == itemCount()) learnForm(p, after, node);
  return after;
}

function word(p: usize, node: u32): usize {
  const letters = load<u32>(p);
  if (letters == 0x65757274) return constant(p, 4, node, TRUE);
  if (letters == 0x6c6c756e) return constant(p, 4, node, NULL);
  if (at(p) == 102 && load<u32>(p + 1) == 0x65736c61) return constant(p, 5, node, FALSE);
  return fail(p);
}

/** An object nobody asked for anything in, checked as strictly as all others; as `object`. */
function passObject(p: usize, depth: i32): usize {
  if (at(p) != 34) {
    p = blank(p);
    if (at(p) == 125) return p + 1;
  }
  if (depth > MAX_DEPTH) {
    setOdd();
    return fail(p);
  }
  for (;;) {
    if (at(p) != 34) return fail(p);
    p = string(p + 1);
    if (p == 0) return 0;
    if (at(++p) != 58) {
      p = blank(p);
      if (at(p) != 58) return fail(p);
    }
    if (at(++p) <= 32) p = blank(p);
    p = passValue(p, depth);
    if (p == 0) return 0;
    let c = at(p);
    if (c <= 32) {
      p = blank(p);
      c = at(p);
    }
    if (c != 44) return c == 125 ? p + 1 : fail(p);
    if (at(++p) <= 32) p = blank(p);
  }
  return 0;
}

function passArray(p: usize, depth: i32): usize {
  p = blank(p);
  if (at(p) == 93) return p + 1;
  if (depth > MAX_DEPTH) {
    setOdd();
    return fail(p);
  }
  for (;;) {
    p = passValue(p, depth);
    if (p == 0) return 0;
    p = blank(p);
    const c = at(p);
    if (c != 44) return c == 93 ? p + 1 : fail(p);
    p = blank(p + 1);
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function passValue(p: usize, depth: i32): usize {
  const c = at(p);
  if (c == 34) {
    const close = string(p + 1);
    return close == 0 ? 0 : close + 1;
  }
  if (c - 48 <= 9 || c == 45) return number(p, 0);
  if (c == 123) return passObject(p + 1, depth + 1);
  if (c == 91) return passArray(p + 1, depth + 1);
  return word(p, 0);
}

// @ts-ignore: decorator
@inline
function constant(p: usize, length: usize, node: u32, kind: u32): usize {
  if (node != 0) take(node, kind, p, p + length);
  return p + length;
}

function number(p: usize, node: u32): usize {
  const start = p;
  if (at(p) == 45) p++;
  let c = at(p);
  if (c - 48 > 9) return fail(p);
  let whole: u64 = c - 48;
  c = at(++p);
  if (whole != 0) {
    for (; c - 48 <= 9; c = at(++p)) whole = whole * 10 + (c - 48);
  }
  let isPlain = p - start <= 15;
  if (c == 46) {
    isPlain = false;
    c = at(++p);
    if (c - 48 > 9) return fail(p);
    while (c - 48 <= 9) c = at(++p);
  }
  if ((c | 32) == 101) {
    isPlain = false;
    c = at(++p);
    if (c == 43 || c == 45) c = at(++p);
    if (c - 48 > 9) return fail(p);
    while (c - 48 <= 9) c = at(++p);
  }
  if (node == 0) return p;
  const place = take(node, NUMBER, start, p);
  if (isPlain && load<u8>(ITEM_FIELD + <usize>node) == 0) {
    store<f64>(NUMBERS + (<usize>node << 3), at(start) == 45 ? -(<f64>whole) : <f64>whole);
    store<i32>(place + 12, 1);
  } else setUnread();
  return p;
}

