import { describe, expect, it } from "vitest";
import { marked } from "./marked.ts";

const MARKS = [
  { start: 6, end: 9 },
  { start: 0, end: 3 },
  { start: 1, end: 4 },
];

describe("marked text", () => {
  it.each(["one, two, three", "one\u001b, two\u0007 \u202ethree…", "o"])("is %j without marks", (text) => {
    const bare = marked(text, MARKS, (piece) => piece);
    expect(marked(text, MARKS, undefined)).toBe(bare);
    expect(bare).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  it("highlights each range once", () => {
    expect(marked("one, two", MARKS, (piece) => `[${piece}]`)).toBe("[one], t[wo]");
  });
});
