import { describe, expect, it } from "vitest";
import { pieceEnd } from "./output-chunks.ts";

function lengths(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  const found: number[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = pieceEnd(bytes, from);
    found.push(end - from);
    from = end;
  }
  return found;
}

describe("chunks of output", () => {
  it("lose nothing and repeat nothing", () => {
    const text = `${"y\n".repeat(1234)}${"x".repeat(9000)}\nend`;
    expect(lengths(text).reduce((sum, length) => sum + length, 0)).toBe(text.length);
    expect(lengths("")).toEqual([]);
  });

  it("are short where there are many lines, and no longer than a page of text", () => {
    expect(lengths("y\n".repeat(250))).toEqual([200, 200, 100]);
    expect(lengths("x".repeat(10_000))).toEqual([4096, 4096, 1808]);
  });
});
