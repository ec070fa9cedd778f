import { expect, it } from "vitest";
import { TailBuffer } from "./tail-buffer.ts";

it("keeps a short text", () => {
  const tail = new TailBuffer(100);
  tail.push(Buffer.from("one\ntwo"));
  expect(tail.toString()).toBe("one\ntwo");
});

it("keeps the end of a long text, from the beginning of a line", () => {
  const tail = new TailBuffer(100);
  for (let i = 0; i < 1000; i++) tail.push(Buffer.from(`line ${i} é\n`));
  const text = tail.toString();
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100);
  expect(text).toMatch(/^line \d+ é\n[^]*line 999 é\n$/);
});
