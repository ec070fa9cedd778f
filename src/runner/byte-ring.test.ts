import { expect, test } from "vitest";
import { ByteRing } from "./byte-ring.ts";

test("held bytes can be read from any offset, even across the edge", () => {
  const ring = new ByteRing(10);
  let all = "";
  for (const piece of ["abc", "defghij", "k", "lmnopqrstuvwxyz", "", "0123"]) {
    ring.append(Buffer.from(piece));
    all += piece;
    expect(ring.end).toBe(all.length);
    for (let from = ring.start; from <= ring.end; from++) {
      for (const max of [1, 4, 100]) {
        expect(Buffer.concat(ring.read(from, max)).toString()).toBe(all.slice(from, from + max));
      }
    }
  }
});

test("other offsets are refused", () => {
  const ring = new ByteRing(4);
  ring.append(Buffer.from("abcdef"));
  expect(() => ring.read(1, 1)).toThrow("Offset 1 is not held.");
  expect(() => ring.read(7, 1)).toThrow("Offset 7 is not held.");
});
