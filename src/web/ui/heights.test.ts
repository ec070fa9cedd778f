import { expect, it } from "vitest";
import { Heights } from "./heights.ts";

it("finds rows by position like a plain sum", () => {
  const heights = new Heights(10);
  const plain: number[] = [];
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  for (let round = 0; round < 400; round++) {
    const action = random(3);
    if (action === 0) {
      const count = random(300);
      heights.resize(count);
      plain.length = Math.min(plain.length, count);
      while (plain.length < count) plain.push(10);
    } else if (plain.length > 0) {
      const index = random(plain.length);
      const height = 1 + random(50);
      expect(heights.set(index, height)).toBe(height - plain[index]!);
      plain[index] = height;
    }
    const total = plain.reduce((sum, height) => sum + height, 0);
    expect(heights.total).toBe(total);
    const index = plain.length === 0 ? 0 : random(plain.length);
    const offset = plain.slice(0, index).reduce((sum, height) => sum + height, 0);
    expect(heights.offset(index)).toBe(offset);
    if (plain.length > 0) {
      expect(heights.at(offset)).toBe(index);
      expect(heights.at(offset + plain[index]! - 1)).toBe(index);
      expect(heights.at(total + 1000)).toBe(plain.length - 1);
    }
  }
});

it("handles a hundred thousand rows at once", () => {
  const heights = new Heights(100);
  heights.resize(100_000);
  expect(heights.at(5_000_050)).toBe(50_000);
});
