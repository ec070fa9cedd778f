import { describe, expect, it } from "vitest";
import { addColumn, LONG_COLUMN, MARKS, MARKS_MASK, markedKeys } from "./columns.ts";

/** More than one piece, one piece exactly, and less. */
const LENGTHS = [0, 1, LONG_COLUMN, 32_768, 65_536, 200_001];

describe.each(LENGTHS)("a column of %i numbers", (length) => {
  it("is added up as one number after the other is", () => {
    // Fractions, whose sum depends on the order, and what a damaged file may have in their place.
    const numbers = Float64Array.from({ length }, (_, at) => Math.sin(at) * 10 ** (at % 17));
    for (const [from, to] of [
      [0, length],
      [Math.min(3, length), Math.max(length - 5, 0)],
    ] as const) {
      let sum = 0.1;
      for (let at = from; at < to; at++) sum += numbers[at]!;
      expect(addColumn(0.1, numbers, from, to)).toBe(sum);
    }
    if (length > 0) numbers[length - 1] = Number.NaN;
    expect(addColumn(1, numbers, 0, length)).toEqual(length > 0 ? Number.NaN : 1);
  });

  it("has marked keys where JavaScript finds them", () => {
    const keys = Uint32Array.from({ length }, (_, at) => Math.imul(at + 1, 2_654_435_761) >>> 0);
    const marks = new Uint8Array(MARKS);
    for (let at = 0; at < length; at += 1 + (length >> 4)) marks[keys[at]! & MARKS_MASK] = 1;
    const from = length >> 3;
    const expected = [...keys.keys()].filter((at) => at >= from && marks[keys[at]! & MARKS_MASK] === 1);
    expect([...markedKeys(keys, from, length, marks)]).toEqual(expected);
  });
});

it("marked keys are not confused with those of another search in between", () => {
  const keys = new Uint32Array(LONG_COLUMN).fill(7);
  const [seven, none] = [new Uint8Array(MARKS), new Uint8Array(MARKS)];
  seven[7] = 1;
  let count = 0;
  for (const at of markedKeys(keys, 0, keys.length, seven)) {
    expect(at).toBe(count++);
    if (at % 512 === 0) expect([...markedKeys(keys, 0, keys.length, none)]).toEqual([]);
  }
  expect(count).toBe(keys.length);
});
