/**
 * Splits a byte stream into lines. Splits on LF only (U+2028 is legal inside a JSON string) and decodes whole lines, so that
 * characters split between reads stay intact.
 */

/** An agent that prints a longer line does not print records. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #onLongLine: (bytes: number) => void;
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #skipped = 0;

  constructor(onLine: (line: string) => void, onLongLine: (bytes: number) => void, maxBytes = MAX_LINE_BYTES) {
    this.#onLine = onLine;
    this.#onLongLine = onLongLine;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#emit();
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
  }

  /** The last line may have no line break. */
  end(): void {
    if (this.#held > 0 || this.#skipped > 0) this.#emit();
  }

  #hold(piece: Buffer): void {
    if (this.#skipped > 0 || this.#held + piece.length > this.#maxBytes) {
      this.#skipped += this.#held + piece.length;
      this.#pieces = [];
      this.#held = 0;
    } else if (piece.length > 0) {
      this.#pieces.push(piece);
      this.#held += piece.length;
    }
  }

  #emit(): void {
    const { length } = this.#pieces;
    const bytes = length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces, this.#held);
    const skipped = this.#skipped;
    this.#pieces = [];
    this.#held = this.#skipped = 0;
    if (skipped > 0) this.#onLongLine(skipped);
    else {
      const line = bytes.toString("utf8").replace(/\r$/, "");
      if (line.trim() !== "") this.#onLine(line);
    }
  }
}
