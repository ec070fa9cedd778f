/** The end of a stream of any length, in bounded memory. */
export class TailBuffer {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #cut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#held += chunk.length;
    if (this.#held < 2 * this.#maxBytes) return;
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [bytes.subarray(bytes.length - this.#maxBytes)];
    this.#held = this.#maxBytes;
    this.#cut = true;
  }

  /** At most `maxBytes`; starts at a line if something was cut. */
  toString(): string {
    const bytes = Buffer.concat(this.#pieces);
    const start = Math.max(0, bytes.length - this.#maxBytes);
    const text = bytes.subarray(start).toString("utf8");
    return start > 0 || this.#cut ? text.slice(text.indexOf("\n") + 1) : text;
  }
}
