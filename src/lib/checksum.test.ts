import { describe, expect, it } from "vitest";
import { checksumOf } from "./checksum.ts";

/** Longer than a piece, and no multiple of anything. */
const SIZES = [0, 1, 15, 16, 17, 4099, 600_011];

function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
}

describe("a checksum", () => {
  it("is the same for the same bytes, wherever they lie", () => {
    for (const size of SIZES) {
      const bytes = bytesOf(size);
      const elsewhere = new Uint8Array(size + 3).subarray(3);
      elsewhere.set(bytes);
      checksumOf(bytesOf(5000));
      expect(checksumOf(elsewhere)).toBe(checksumOf(bytes));
    }
  });

  it("is another one when any single bit is, or the length", () => {
    for (const size of SIZES.slice(1)) {
      const bytes = bytesOf(size);
      const sum = checksumOf(bytes);
      for (const place of new Set([0, size >> 1, size - 1, Math.min(size - 1, 262_144)])) {
        for (const bit of [1, 16, 128]) {
          bytes[place]! ^= bit;
          expect(checksumOf(bytes)).not.toBe(sum);
          bytes[place]! ^= bit;
        }
      }
      expect(checksumOf(bytes)).toBe(sum);
      expect(checksumOf(bytes.subarray(1))).not.toBe(sum);
      expect(checksumOf(Uint8Array.of(...bytes.subarray(0, 40), 0))).not.toBe(checksumOf(bytes.subarray(0, 40)));
    }
  });

  it("of zeros tells how many there are", () => {
    expect(new Set([0, 8, 16, 24, 4096].map((size) => checksumOf(new Uint8Array(size)))).size).toBe(5);
  });
});
