/**
 * Frames as bytes: `[u32 big-endian length][payload]`. A payload is JSON, or, when both sides announced it,
 * a binary message: `[type][id length][pty id]`, for output the 6-byte offset after the data, then raw bytes.
 * JSON begins with `{`, so the first byte of a payload tells them apart.
 */

/** The length's first byte stays 0: it is what tells a frame client from an HTTP client. */
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

/** The data may come in two pieces, as it lies in a ring; it is copied into the frame. */
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
  if (seq !== undefined) at = putSeq(frame, at, seq);
  for (const piece of pieces) {
    frame.set(piece, at);
    at += piece.length;
  }
  return frame;
}

/** What Node's own function for six bytes does, without its dozen checks: they take longer than all else about an echo. */
function putSeq(bytes: Buffer, at: number, seq: number): number {
  const high = Math.floor(seq / 2 ** 32);
  bytes[at] = high >>> 8;
  bytes[at + 1] = high;
  bytes[at + 2] = seq >>> 24;
  bytes[at + 3] = seq >>> 16;
  bytes[at + 4] = seq >>> 8;
  bytes[at + 5] = seq;
  return at + SEQ_BYTES;
}

/** Data of one frame that is made in the same bytes as the one before. */
export const MAX_REUSED_BYTES = 1024;

/** Of frames as short as those of keys the views are kept. */
const KEPT_BELOW_BYTES = 64;

/**
 * Frames of raw bytes for one terminal, each valid until the next: keys and echoes are so short that making room for them
 * would take most of the time.
 */
export class ReusedFrame {
  readonly ptyId: string;
  private readonly bytes: Buffer;
  private readonly views: Buffer[] = [];
  private readonly dataAt: number;

  constructor(kind: "input" | "output", ptyId: string) {
    this.ptyId = ptyId;
    const head = encodeBinary(
      kind === "input" ? BINARY_INPUT : BINARY_OUTPUT,
      ptyId,
      kind === "input" ? undefined : 0,
      [],
    );
    this.dataAt = head.length;
    this.bytes = Buffer.concat([head], head.length + MAX_REUSED_BYTES);
  }

  /** With `seq` when it is output. */
  of(data: Uint8Array, seq?: number): Buffer {
    const { bytes, dataAt } = this;
    const end = dataAt + data.length;
    const length = end - LENGTH_BYTES;
    bytes[2] = length >> 8;
    bytes[3] = length;
    if (seq !== undefined) putSeq(bytes, dataAt - SEQ_BYTES, seq);
    if (data.length === 1) bytes[dataAt] = data[0] as number;
    else bytes.set(data, dataAt);
    return end < KEPT_BELOW_BYTES ? (this.views[end] ??= bytes.subarray(0, end)) : bytes.subarray(0, end);
  }
}

/** Where the typed bytes begin, when these bytes are one frame of input for this terminal, as a key is; else -1. */
export function inputAt(bytes: Buffer, ptyId: string): number {
  return dataAt(bytes, BINARY_INPUT, ptyId, 0);
}

/** Where the output begins, when these bytes are one frame of output of this terminal, as an echo is; else -1. */
export function outputAt(bytes: Buffer, ptyId: string): number {
  return dataAt(bytes, BINARY_OUTPUT, ptyId, SEQ_BYTES);
}

/** The offset after the output that begins here. */
export function seqBefore(bytes: Buffer, at: number): number {
  const high = ((bytes[at - 6] as number) << 8) | (bytes[at - 5] as number);
  return high * 2 ** 32 + uint32At(bytes, at - 4);
}

function uint32At(bytes: Buffer, at: number): number {
  const high = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  const low = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
  return high * 0x1_0000 + low;
}

function dataAt(bytes: Buffer, type: number, ptyId: string, more: number): number {
  const afterId = LENGTH_BYTES + 2 + ptyId.length;
  if (bytes.length < afterId + more || bytes[LENGTH_BYTES] !== type) return -1;
  if (bytes[LENGTH_BYTES + 1] !== ptyId.length || uint32At(bytes, 0) !== bytes.length - LENGTH_BYTES) return -1;
  for (let letter = 0; letter < ptyId.length; letter++) {
    if (bytes[LENGTH_BYTES + 2 + letter] !== ptyId.charCodeAt(letter)) return -1;
  }
  return afterId + more;
}

/** Cuts a byte stream into payloads. Push what arrives; `next` throws FrameError on what can never become a frame. */
export class FrameDecoder {
  private chunks: Buffer[] = [];
  private size = 0;

  /** The payloads that are whole now, one at a time, until undefined. */
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

  /** Everything pushed has been taken. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  private peekLength(): number {
    const first = this.chunks[0];
    if (first !== undefined && first.length >= LENGTH_BYTES) return first.readUInt32BE();
    // A length torn apart by the transport; rare, so the whole is joined.
    return this.join().readUInt32BE();
  }

  private take(bytes: number): Buffer {
    const first = this.chunks[0];
    const whole = first !== undefined && first.length >= bytes ? first : this.join();
    this.size -= bytes;
    // A key or an echo is a frame and a chunk of its own.
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
