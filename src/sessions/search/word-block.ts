/**
 * Blocks of an index segment, as wasm/words/blocks.ts writes them: words in the order of their bytes, each by what differs
 * from the one before it, with the rows it stands in as differences. All numbers are varints.
 */

/** The index is not what was written; its code is SQLite's for a damaged file. */
class DamagedBlock extends Error {
  readonly errcode = 11;
}

/** Goes through the words of a block. */
export class BlockReader {
  readonly data: Uint8Array;
  #at = 0;
  /** Bytes the word shares with the one before it. */
  shared = 0;
  /** Where the rest of the word lies. */
  start = 0;
  end = 0;
  /** Where its rows lie. */
  rowsStart = 0;
  rowsEnd = 0;

  constructor(data: Uint8Array) {
    this.data = data;
  }

  next(): boolean {
    if (this.#at >= this.data.length) return false;
    this.shared = this.#varint();
    const length = this.#varint();
    this.start = this.#at;
    this.end = this.#at += length;
    const rows = this.#varint();
    this.rowsStart = this.#at;
    this.rowsEnd = this.#at += rows;
    if (this.#at > this.data.length) throw new DamagedBlock("A block ends inside of a word.");
    return true;
  }

  #varint(): number {
    const data = this.data;
    let value = 0;
    for (let shift = 0; shift < 32; shift += 7) {
      const byte = data[this.#at++];
      if (byte === undefined) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new DamagedBlock("A block ends inside of a number.");
  }
}

/** Calls `onRow` for each row of a word, in ascending order. */
export function eachRow(data: Uint8Array, start: number, end: number, onRow: (row: number) => void): void {
  let row = 0;
  for (let at = start; at < end;) {
    let byte = data[at++]!;
    let difference = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && at < end; shift += 7) {
      byte = data[at++]!;
      difference |= (byte & 0x7f) << shift;
    }
    row += difference;
    onRow(row);
  }
}

/**
 * Counts the rows of a word for those who own them: by row the owner's number plus one, negative where the row counts for more;
 * 0 for nobody. Here, as a call for each of thousands of rows takes longer than all the rest.
 */
export function countOwners(
  data: Uint8Array,
  start: number,
  end: number,
  { owners, counts, weight }: { owners: Int32Array; counts: Int32Array; weight: number },
): void {
  let row = 0;
  for (let at = start; at < end;) {
    let byte = data[at++]!;
    if (byte < 0x80) row += byte;
    else {
      let difference = byte & 0x7f;
      for (let shift = 7; byte >= 0x80 && at < end; shift += 7) {
        byte = data[at++]!;
        difference |= (byte & 0x7f) << shift;
      }
      row += difference;
    }
    const owner = owners[row] ?? 0;
    if (owner > 0) counts[owner - 1]!++;
    else if (owner < 0) counts[-owner - 1]! += weight;
  }
}

/** A number of more than one byte, or none; where it ends is in `behindNumber`. */
function longNumber(data: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start, shift = 0; shift < 32; shift += 7) {
    const byte = data[at++];
    if (byte === undefined) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      behindNumber = at;
      return value >>> 0;
    }
  }
  throw new DamagedBlock("A block ends inside of a number.");
}

let behindNumber = 0;

/**
 * Calls `onFound` with the place of the rows of the word, or of all that begin so. False when no later block can hold any.
 * What `BlockReader` does is done here once more, without a call for each number: a question goes through hundreds of words
 * in each segment, before any of this is optimised.
 */
export function findWords(
  data: Uint8Array,
  wanted: Uint8Array,
  isPrefix: boolean,
  onFound: (start: number, end: number) => void,
): boolean {
  const { length } = data;
  const { length: wantedLength } = wanted;
  /** Bytes that the wanted word and the last one have in common; all of them only where beginnings are looked for. */
  let matched = 0;
  for (let at = 0; at < length;) {
    // Mostly of one byte; what is not there is not less than anything.
    let shared = data[at]!;
    if (shared < 0x80) at++;
    else [shared, at] = [longNumber(data, at), behindNumber];
    let bytes = data[at]!;
    if (bytes < 0x80) at++;
    else [bytes, at] = [longNumber(data, at), behindNumber];
    let place = at;
    const end = (at += bytes);
    let rows = data[at]!;
    if (rows < 0x80) at++;
    else [rows, at] = [longNumber(data, at), behindNumber];
    const rowsStart = at;
    at += rows;
    if (at > length) throw new DamagedBlock("A block ends inside of a word.");
    if (matched === wantedLength) {
      if (shared < wantedLength) return false;
      onFound(rowsStart, at);
      continue;
    }
    // Differs from the wanted word where its predecessor did: it comes before it, too.
    if (shared > matched) continue;
    if (shared < matched) return false;
    while (place < end && matched < wantedLength && data[place] === wanted[matched]) {
      place++;
      matched++;
    }
    if (matched === wantedLength) {
      if (isPrefix || place === end) onFound(rowsStart, at);
      if (!isPrefix) return false;
    } else if (place < end && data[place]! > wanted[matched]!) return false;
  }
  return true;
}
