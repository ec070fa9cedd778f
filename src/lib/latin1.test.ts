import { describe, expect, it } from "vitest";
import { putLatin1 } from "./latin1.ts";

describe("texts of one byte for each character", () => {
  it("are written as Node writes them", () => {
    for (const text of ["", "0123-abcd", "Grüße", "more than there is room for"]) {
      const [bytes, expected] = [Buffer.alloc(16, "-"), Buffer.alloc(16, "-")];
      expect(putLatin1(bytes, text, 3)).toBe(expected.write(text, 3, "latin1"));
      expect(bytes).toEqual(expected);
    }
  });
});
