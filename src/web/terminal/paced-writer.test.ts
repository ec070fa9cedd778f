import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PacedWriter } from "./paced-writer.ts";

/** An emulator that needs 2 ms per chunk. */
const PIECE_MS = 2;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function emulator(): { written: string[]; writer: PacedWriter } {
  const written: string[] = [];
  const writer = new PacedWriter((bytes, done) => {
    setTimeout(() => {
      written.push(typeof bytes === "string" ? bytes : new TextDecoder().decode(bytes));
      done();
    }, PIECE_MS);
  });
  return { written, writer };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

it("writes everything in order and reports when", () => {
  const { written, writer } = emulator();
  const done: string[] = [];
  const long = "y\n".repeat(1000);
  writer.push(bytesOf("a"), () => done.push("a"));
  writer.push(bytesOf(long), () => done.push("long"));
  writer.push("", () => done.push("size"));
  writer.push(bytesOf("b"), () => done.push("b"));
  vi.advanceTimersByTime(1000);
  expect(written.join("")).toBe(`a${long}b`);
  expect(done).toEqual(["a", "long", "size", "b"]);
});

it("gives a flood half of the time, and does not delay an echo", () => {
  const { written, writer } = emulator();
  writer.push(bytesOf("y\n".repeat(100_000)));
  vi.advanceTimersByTime(400);
  const busyMs = written.length * PIECE_MS;
  expect(busyMs).toBeGreaterThan(160);
  expect(busyMs).toBeLessThan(260);
  writer.close();
  vi.advanceTimersByTime(1000);
  const quiet = emulator();
  quiet.writer.push(bytesOf("k"));
  vi.advanceTimersByTime(PIECE_MS);
  expect(quiet.written).toEqual(["k"]);
});
