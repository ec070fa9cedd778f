/** A growing byte buffer. Strings would be simpler but cost five times as much. */

const FIRST_BYTES = 4096;

export class ByteSink {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  /** Ensures space for this many more bytes; call it before writing to `bytes` directly. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.length + count));
    this.bytes.copy(bigger, 0, 0, this.length);
    this.bytes = bigger;
  }

  /** Text of single-byte characters. */
  ascii(text: string): void {
    this.reserve(text.length);
    for (let at = 0; at < text.length; at++) this.bytes[this.length++] = text.charCodeAt(at);
  }

  text(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.bytes.write(text, this.length, "utf8");
  }

  codePoint(code: number): void {
    this.reserve(4);
    const { bytes } = this;
    if (code < 0x80) bytes[this.length++] = code;
    else if (code < 0x800) {
      bytes[this.length++] = 0xc0 | (code >> 6);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    } else if (code < 0x1_0000) {
      bytes[this.length++] = 0xe0 | (code >> 12);
      bytes[this.length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[this.length++] = 0xf0 | (code >> 18);
      bytes[this.length++] = 0x80 | ((code >> 12) & 0x3f);
      bytes[this.length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    }
  }

  /** Passes the bytes to `make` and empties the buffer. */
  take<T>(make: (bytes: Buffer) => T): T {
    const made = make(this.bytes.subarray(0, this.length));
    this.length = 0;
    return made;
  }

  /** The content as text; empties the buffer. */
  takeText(): string {
    return this.take((bytes) => bytes.toString("utf8"));
  }
}
