/**
 * Frames as bytes: `[u32 big-endian length][payload]`. A payload is JSON, which begins with `{`, or, if both sides announced it,
 * binary: `[type][id length][pty id]`, for output a 6-byte offset, then raw bytes.
 */

/** Keeps the length's first byte 0, which tells a frame client from an HTTP client. */
export const MAX_FRAME_BYTES = 0xff_ffff;

const LENGTH_BYTES = 4;
const SEQ_BYTES = 6;
const BINARY_OUTPUT = 1;
const BINARY_INPUT = 2;
const OPENING_BRACE = 0x7b;

export type Payload =
  | { kind: "json"; text: string }
  | { kind: "output"; ptyId: string; seq: number; data: Buffer }
  | { kind: "input"; ptyId: string; data: Buffer };

export class FrameError extends Error {}

export function encodeFrame(message: object): Buffer {
  const json = JSON.stringify(message);
  const length = Buffer.byteLength(json);
  if (length > MAX_FRAME_BYTES) throw new FrameError(`A frame of ${length} bytes is over the limit.`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32BE(length);
  frame.write(json, LENGTH_BYTES);
  return frame;
}

/** The data may be in two pieces, as in a ring buffer; it is copied into the frame. */
export function encodeOutput(ptyId: string, seq: number, pieces: readonly Uint8Array[]): Buffer {
  return encodeBinary(BINARY_OUTPUT, ptyId, seq, pieces);
}

export function encodeInput(ptyId: string, data: Uint8Array): Buffer {
  return encodeBinary(BINARY_INPUT, ptyId, undefined, [data]);
}

function encodeBinary(type: number, ptyId: string, seq: number | undefined, pieces: readonly Uint8Array[]): Buffer {
  let length = 2 + ptyId.length + (seq === undefined ? 0 : SEQ_BYTES);
  for (const piece of pieces) length += piece.length;
  if (length > MAX_FRAME_BYTES) throw new FrameError(`A frame of ${length} bytes is over the limit.`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  let at = frame.writeUInt32BE(length);
  frame[at++] = type;
  frame[at++] = ptyId.length;
  for (let letter = 0; letter < ptyId.length; letter++) frame[at++] = ptyId.charCodeAt(letter);
  if (seq !== undefined) at = frame.writeUIntBE(seq, at, SEQ_BYTES);
  for (const piece of pieces) {
    frame.set(piece, at);
    at += piece.length;
  }
  return frame;
}

/** Splits a byte stream into payloads. `next` throws FrameError for bytes that can never become a frame. */
export class FrameDecoder {
  private chunks: Buffer[] = [];
  private size = 0;

  /** Returns the complete payloads one at a time, then undefined. */
  next(): Payload | undefined {
    if (this.size < LENGTH_BYTES) return undefined;
    const length = this.peekLength();
    if (length > MAX_FRAME_BYTES) throw new FrameError(`A frame of ${length} bytes is over the limit.`);
    if (length === 0) throw new FrameError("A frame cannot be empty.");
    if (this.size < LENGTH_BYTES + length) return undefined;
    return decodePayload(this.take(LENGTH_BYTES + length), LENGTH_BYTES);
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  private peekLength(): number {
    const first = this.chunks[0];
    if (first !== undefined && first.length >= LENGTH_BYTES) return first.readUInt32BE();
    // A length split by the transport; rare, so everything is joined.
    return this.join().readUInt32BE();
  }

  private take(bytes: number): Buffer {
    const first = this.chunks[0];
    const whole = first !== undefined && first.length >= bytes ? first : this.join();
    this.size -= bytes;
    // Fast path: a key or an echo is one frame in one chunk.
    if (whole.length === bytes) {
      this.chunks.shift();
      return whole;
    }
    this.chunks[0] = whole.subarray(bytes);
    return whole.subarray(0, bytes);
  }

  private join(): Buffer {
    const whole = Buffer.concat(this.chunks, this.size);
    this.chunks = [whole];
    return whole;
  }
}

function decodePayload(frame: Buffer, at: number): Payload {
  const type = frame[at];
  if (type === OPENING_BRACE) return { kind: "json", text: frame.toString("utf8", at) };
  const id = at + 2;
  const afterId = id + (frame[at + 1] ?? 0);
  const head = afterId + (type === BINARY_OUTPUT ? SEQ_BYTES : 0);
  if ((type !== BINARY_OUTPUT && type !== BINARY_INPUT) || frame.length < head) {
    throw new FrameError("The frame is neither JSON nor a known binary message.");
  }
  const ptyId = frame.toString("latin1", id, afterId);
  const data = frame.subarray(head);
  if (type === BINARY_INPUT) return { kind: "input", ptyId, data };
  return { kind: "output", ptyId, seq: frame.readUIntBE(afterId, SEQ_BYTES), data };
}
