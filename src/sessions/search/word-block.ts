/**
 * Blocks of an index segment, as wasm/words/blocks.ts writes them: words in the order of their bytes, each by what differs
 * from the one before it, with the rows it stands in as differences. All numbers are varints.
 */

/** The index is not what was written; its code is SQLite's for a damaged file. */
export class DamagedBlock extends Error {
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
