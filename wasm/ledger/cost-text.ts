/**
 * What sessions cost as the JSON text that a list prints, one behind the other; src/sessions/cost/cost-text.ts has the same
 * numbers, and gives all that stands between the values.
 */
import { reserve } from "./columns";
import { addSums, spendingEnd, sumOf } from "./spending";

// Before each value of the whole, then before those of the helpers' part; behind a whole without such a part, and behind the
// part; the kinds.
const HELPERS: usize = 8;
const END: usize = 16;
const HELPERS_END: usize = 17;
const KINDS: usize = 18;
const PIECES: usize = 23;
const PIECE_SIZE: usize = 64;
const PLACE: usize = 6144; // up to 7616

/** More than a text takes. */
const ROOM: usize = 2048;
/** Figures of so many digits are what JavaScript makes of them; more may be rounded. */
const MOST: f64 = 1e15;
/** Dollars below a millionth are written with an exponent. */
const LEAST_NANO: f64 = 1000;

let texts: usize = 0;
let end: usize = 0;

/** False when it is too long. */
export function setPiece(piece: usize, length: usize): bool {
  if (piece >= PIECES || length >= PIECE_SIZE) return false;
  store<u8>(PLACE + piece * PIECE_SIZE, <u8>length);
  return true;
}

/** Where JavaScript writes a piece. */
export function pieceRoom(piece: usize): usize {
  return PLACE + piece * PIECE_SIZE + 1;
}

/** When all sessions are summed, and sums were taken as columns: these lie where the texts will. */
export function startTexts(): usize {
  texts = end = spendingEnd();
  return texts;
}

/** Adds what the sums from one to another come to; nothing for none. Gives where the text ends, 0 when JavaScript has to write it. */
export function costText(from: u32, to: u32): u32 {
  if (from == to) return <u32>(end - texts);
  reserve(end + ROOM);
  const start = end;
  const helpers = addSums(from, to);
  if (!putSum(0, 0)) {
    end = start;
    return 0;
  }
  if (helpers && !putSum(HELPERS, 1)) {
    end = start;
    return 0;
  }
  put(helpers ? HELPERS_END : END);
  return <u32>(end - texts);
}

/** Of all requests (0), or of helpers' alone (1). */
function putSum(piece: usize, sum: usize): bool {
  const nanoUsd = sumOf(sum, 0);
  if (nanoUsd < 0 || nanoUsd >= MOST || (nanoUsd > 0 && nanoUsd < LEAST_NANO)) return false;
  put(piece);
  putDollars(<u64>nanoUsd);
  for (let i: usize = 1; i < 7; i++) {
    const count = sumOf(sum, i);
    if (count >= MOST) return false;
    put(piece + i);
    putWhole(<u64>count);
  }
  put(piece + 7);
  put(KINDS + <usize>sumOf(sum, 7));
  return true;
}

function put(piece: usize): void {
  const place = PLACE + piece * PIECE_SIZE;
  const length = <usize>load<u8>(place);
  memory.copy(end, place + 1, length);
  end += length;
}

function putWhole(value: u64): void {
  let digits: usize = 1;
  for (let rest = value; rest > 9; rest /= 10) digits++;
  for (let p = end + digits; p > end; value /= 10) store<u8>(--p, <u8>(value % 10) + 48);
  end += digits;
}

const NANO: u64 = 1_000_000_000;

function putDollars(nanoUsd: u64): void {
  putWhole(nanoUsd / NANO);
  let rest = nanoUsd % NANO;
  if (rest == 0) return;
  store<u8>(end++, 46);
  let digits: usize = 9;
  for (; rest % 10 == 0; rest /= 10) digits--;
  for (let p = end + digits; p > end; rest /= 10) store<u8>(--p, <u8>(rest % 10) + 48);
  end += digits;
}
