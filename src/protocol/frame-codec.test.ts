import { expect, test } from "vitest";
import {
  encodeFrame,
  encodeInput,
  encodeOutput,
  FrameDecoder,
  FrameError,
  inputAt,
  MAX_FRAME_BYTES,
  MAX_REUSED_BYTES,
  outputAt,
  ReusedFrame,
  seqBefore,
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

test.each([1, 2, 3, 5, 7, 64, 100_000])("frames come out as they went in, in pieces of %i bytes", (pieceBytes) => {
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
});

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

test.each([1, 2, 57, 58, 255, 256, MAX_REUSED_BYTES])(
  "a frame used again for %i bytes is the frame made for them",
  (length) => {
    const data = Buffer.from(Array.from({ length }, (_, at) => at % 256));
    const [typed, told] = [new ReusedFrame("input", "pty-1"), new ReusedFrame("output", "pty-1")];
    for (let round = 0; round < 2; round++) {
      expect(typed.of(data)).toEqual(encodeInput("pty-1", data));
      expect(told.of(data, 2 ** 40 + round)).toEqual(encodeOutput("pty-1", 2 ** 40 + round, [data]));
      typed.of(Buffer.from("something else"));
      told.of(Buffer.from("something else"), 7);
    }
  },
);

test("a key and an echo are known by their bytes alone, and nothing else is taken for one", () => {
  const [typed, told] = [encodeInput("pty-1", Buffer.from("k")), encodeOutput("pty-1", 2 ** 33, [Buffer.from("e")])];
  expect(typed.toString("latin1", inputAt(typed, "pty-1"))).toBe("k");
  expect(told.toString("latin1", outputAt(told, "pty-1"))).toBe("e");
  expect(seqBefore(told, outputAt(told, "pty-1"))).toBe(2 ** 33);
  const twice = Buffer.concat([told, told]);
  for (const bytes of [typed, twice, told.subarray(0, -1), told.subarray(0, 5), encodeFrame({}), Buffer.alloc(0)])
    expect(outputAt(bytes, "pty-1")).toBe(-1);
  for (const ptyId of ["pty-2", "pty-10", "pty", ""]) expect(outputAt(told, ptyId)).toBe(-1);
  expect(inputAt(told, "pty-1")).toBe(-1);
});

test("a frame that is too long is not even made", () => {
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
