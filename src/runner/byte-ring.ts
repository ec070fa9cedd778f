/**
 * The last part of a PTY's output, addressed by offset. It is the queue of every reader: each keeps a position, and one that
 * falls off the end restarts.
 */

export class ByteRing {
  private readonly buffer: Buffer;
  private head = 0;

  constructor(capacity: number) {
    // Not pooled and not filled: pages never written take no memory.
    this.buffer = Buffer.allocUnsafeSlow(capacity);
  }

  get capacity(): number {
    return this.buffer.length;
  }

  /** Offset of the next byte. */
  get end(): number {
    return this.head;
  }

  /** Offset of the oldest byte still held. */
  get start(): number {
    return Math.max(0, this.head - this.buffer.length);
  }

  append(data: Uint8Array): void {
    const { buffer } = this;
    const from = this.head % buffer.length;
    if (from + data.length <= buffer.length) {
      if (data.length === 1) buffer[from] = data[0] as number;
      else buffer.set(data, from);
      this.head += data.length;
      return;
    }
    const kept = data.length > this.buffer.length ? data.subarray(data.length - this.buffer.length) : data;
    const skipped = data.length - kept.length;
    const at = (this.head + skipped) % this.buffer.length;
    const untilWrap = Math.min(kept.length, this.buffer.length - at);
    this.buffer.set(kept.subarray(0, untilWrap), at);
    if (untilWrap < kept.length) this.buffer.set(kept.subarray(untilWrap), 0);
    this.head += data.length;
  }

  /** At most `max` bytes from a held offset, in one or two pieces valid until the next append. */
  read(from: number, max: number): Buffer[] {
    if (from < this.start || from > this.head) throw new RangeError(`Offset ${from} is not held.`);
    const length = Math.min(max, this.head - from);
    if (length === 0) return [];
    const at = from % this.buffer.length;
    const untilWrap = Math.min(length, this.buffer.length - at);
    const first = this.buffer.subarray(at, at + untilWrap);
    return untilWrap === length ? [first] : [first, this.buffer.subarray(0, length - untilWrap)];
  }
}
