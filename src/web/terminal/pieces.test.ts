import { describe, expect, it } from "vitest";
import { piecesOf } from "./pieces.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const lengths = (text: string): number[] => piecesOf(bytesOf(text)).map(({ length }) => length);

describe("pieces of output", () => {
  it("lose nothing and double nothing", () => {
    const text = `${"y\n".repeat(1234)}${"x".repeat(9000)}\nend`;
    const decoder = new TextDecoder();
    expect(
      piecesOf(bytesOf(text))
        .map((piece) => decoder.decode(piece))
        .join(""),
    ).toBe(text);
    expect(piecesOf(bytesOf(""))).toEqual([]);
  });

  it("are short where there are many lines, and no longer than a page of text", () => {
    expect(lengths("y\n".repeat(250))).toEqual([200, 200, 100]);
    expect(lengths("x".repeat(10_000))).toEqual([4096, 4096, 1808]);
  });
});
