/** Keys with the value they had last: most fields of a transcript have the same one in every line. */
import {
  LENGTH,
  MAX_PAIR,
  NODE,
  PAIR_LENGTH,
  PAIR_TEXT,
  PROVEN,
  TRUSTED,
  VALUE_KIND,
  VALUE_NUMBER,
  VALUE_PARSED,
  VALUE_START,
  VALUE_WORD,
  WAIT,
} from "./keys";
import { at, FLAG_ID, ITEM_FIELD, KINDS, NUMBERS, PLACES, STRING } from "./memory";
import { flagsOf, hasUnread, itemCount, itemPlace, take, takeString } from "./notes";
import { isSame } from "./text";

/** The place after key and value if they are what they were last time; else 0. */
export function repeated(p: usize, key: usize): usize {
  const length = <usize>load<u32>(key + TRUSTED);
  if (length == 0 || !isSame(p, key + PAIR_TEXT, length)) return 0;
  const after = p + length;
  // A number may go on.
  if (at(after) != 44 && at(after) != 125) return 0;
  store<u32>(key + PROVEN, 1);
  const node = load<u32>(key + NODE);
  if (node == 0) return after;
  const kind = load<u32>(key + VALUE_KIND);
  const start = p + <usize>load<u32>(key + VALUE_START);
  if (kind == STRING && (flagsOf(node) & FLAG_ID) != 0) {
    takeString(node, start, after - 1);
    return after;
  }
  const place = take(node, kind, start, kind == STRING ? after - 1 : after);
  if (load<u8>(ITEM_FIELD + <usize>node) != 0) store<u32>(place + 12, load<u32>(key + VALUE_WORD));
  else {
    store<u32>(place + 8, load<u32>(key + VALUE_WORD));
    store<i32>(place + 12, load<i32>(key + VALUE_PARSED));
    store<f64>(NUMBERS + ((<usize>node) << 3), load<f64>(key + VALUE_NUMBER));
  }
  return after;
}

/** Keeps key and value to be compared with the next ones, unless they have turned out not to repeat. */
export function remember(p: usize, after: usize, key: usize): void {
  const length = after - p;
  const start = <usize>load<u32>(key + LENGTH);
  const c = at(p + start);
  // Of what is kept nothing is left to be read.
  if (length > MAX_PAIR || c <= 32 || c == 123 || c == 91 || hasUnread()) {
    store<u32>(key + TRUSTED, 0);
    store<u32>(key + PAIR_LENGTH, 0);
    store<i32>(key + WAIT, PATIENCE);
    return;
  }
  if (length == <usize>load<u32>(key + PAIR_LENGTH) && isSame(p, key + PAIR_TEXT, length)) {
    store<u32>(key + TRUSTED, <u32>length);
    return;
  }
  // Some come twice and no more, as the counts of a reply that is written in two records: not worth a look.
  if (load<u32>(key + PAIR_LENGTH) != 0 && load<u32>(key + PROVEN) == 0) store<i32>(key + WAIT, PATIENCE);
  store<u32>(key + TRUSTED, 0);
  store<u32>(key + PROVEN, 0);
  store<u32>(key + PAIR_LENGTH, <u32>length);
  v128.store(key, v128.load(p), PAIR_TEXT);
  v128.store(key, v128.load(p, 16), PAIR_TEXT + 16);
  v128.store(key, v128.load(p, 32), PAIR_TEXT + 32);
  v128.store(key, v128.load(p, 48), PAIR_TEXT + 48);
  store<u32>(key + VALUE_START, <u32>(c == 34 ? start + 1 : start));
  const node = load<u32>(key + NODE);
  if (node == 0) return;
  const field = load<u8>(ITEM_FIELD + <usize>node) != 0;
  const place = field
    ? itemPlace(itemCount() - 1, <i32>load<u8>(ITEM_FIELD + <usize>node) - 1)
    : PLACES + ((<usize>node) << 4);
  store<u32>(key + VALUE_KIND, field ? load<u32>(place) : load<u8>(KINDS + <usize>node));
  store<u32>(key + VALUE_WORD, load<u32>(field ? place + 12 : place + 8));
  store<i32>(key + VALUE_PARSED, field ? 0 : load<i32>(place + 12));
  store<f64>(key + VALUE_NUMBER, load<f64>(NUMBERS + ((<usize>node) << 3)));
}

/** Lines for which a value that differed is not compared again. */
const PATIENCE: i32 = 64;
