import { expect, test } from "vitest";
import { incompleteTail } from "./utf8-tail.ts";

test.each(["x", "é", "—", "結", "🚀", "a🚀"])("%j is complete at its end and nowhere inside", (text) => {
  const bytes = Buffer.from(text);
  const last = Buffer.byteLength([...text].at(-1) ?? "");
  expect(incompleteTail(bytes)).toBe(0);
  for (let cut = 1; cut < last; cut++) expect(incompleteTail(bytes.subarray(0, bytes.length - cut))).toBe(last - cut);
});

test("bytes that are not text are not held back", () => {
  expect(incompleteTail(Buffer.from([0x80, 0x80, 0x80, 0x80]))).toBe(0);
  expect(incompleteTail(Buffer.from([]))).toBe(0);
});
