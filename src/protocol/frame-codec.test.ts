import { expect, test } from "vitest";
import {
  encodeFrame,
  encodeInput,
  encodeOutput,
  FrameDecoder,
  FrameError,
  MAX_FRAME_BYTES,
  type Payload,
} from "./frame-codec.ts";

function decode(bytes: Buffer, pieceBytes: number): Payload[] {
  const decoder = new FrameDecoder();
  const payloads: Payload[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    payloads.push(...pushed(decoder, bytes.subarray(at, at + pieceBytes)));
  return payloads;
}

function pushed(decoder: FrameDecoder, chunk: Buffer): Payload[] {
  decoder.push(chunk);
  const payloads: Payload[] = [];
  for (let payload = decoder.next(); payload !== undefined; payload = decoder.next()) payloads.push(payload);
  return payloads;
}

test.each([1, 2, 3, 5, 7, 64, 100_000])(
  "frames are decoded as they were encoded, in pieces of %i bytes",
  (pieceBytes) => {
    const bytes = Buffer.concat([
      encodeFrame({ _tag: "input", ptyId: "pty-1", data: "é結 \u0000" }),
      encodeOutput("pty-1", 2 ** 40 + 5, [Buffer.from([0, 255, 27]), Buffer.from([128])]),
      encodeInput("p", Buffer.from("typed")),
      encodeFrame({ _tag: "ping" }),
    ]);
    expect(decode(bytes, pieceBytes)).toEqual([
      { kind: "json", text: JSON.stringify({ _tag: "input", ptyId: "pty-1", data: "é結 \u0000" }) },
      { kind: "output", ptyId: "pty-1", seq: 2 ** 40 + 5, data: Buffer.from([0, 255, 27, 128]) },
      { kind: "input", ptyId: "p", data: Buffer.from("typed") },
      { kind: "json", text: '{"_tag":"ping"}' },
    ]);
  },
);

test("the first byte of a frame is 0, which no HTTP request begins with", () => {
  expect(encodeFrame({ data: "x".repeat(1_000_000) })[0]).toBe(0);
});

test.each([
  ["a length over the limit", [1, 0, 0, 0]],
  ["an HTTP request", [...Buffer.from("GET / HTTP/1.1")]],
  ["an empty frame", [0, 0, 0, 0]],
  ["an unknown kind", [0, 0, 0, 2, 9, 9]],
  ["a binary frame that ends in its head", [0, 0, 0, 3, 1, 5, 65]],
])("%s is refused", (_, bytes) => {
  expect(() => decode(Buffer.from(bytes), 100)).toThrow(FrameError);
});

test("a frame that is too long is not even created", () => {
  expect(() => encodeOutput("p", 0, [new Uint8Array(MAX_FRAME_BYTES)])).toThrow("is over the limit");
});

test("random bytes never do more than throw", () => {
  for (let seed = 1; seed < 300; seed++) {
    const bytes = Buffer.from(Array.from({ length: 200 }, (_, at) => (seed * 7919 * (at + 1) * (at + seed)) % 251));
    bytes[0] = 0;
    bytes[1] = 0;
    try {
      decode(bytes, 13);
    } catch (error) {
      expect(error).toBeInstanceOf(FrameError);
    }
  }
  expect(decode(Buffer.alloc(0), 1)).toEqual([]);
});
