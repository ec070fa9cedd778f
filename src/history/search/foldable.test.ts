import { describe, expect, it } from "vitest";
import { FOLDABLE, variantsOf } from "./byte-words.ts";
import { fold, positionsOf, RunFinder } from "./words.ts";

/** Every character that can be part of a word, with its folded form. */
function* wordCharacters(): Generator<[point: number, character: string, folded: string]> {
  const run = new RunFinder();
  for (let point = 0x80; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    run.reset(character);
    if (run.next()) yield [point, character, fold(character)];
  }
}

describe("a byte scan's knowledge of folding", () => {
  it("covers every character that can stand for an ASCII letter or for nothing", () => {
    const isKnown = (point: number): boolean => FOLDABLE.some(([first, last]) => point >= first && point <= last);
    const missing: string[] = [];
    for (const [point, , folded] of wordCharacters()) {
      if ((folded === "" || /[a-z0-9]/.test(folded)) && !isKnown(point)) missing.push(point.toString(16));
    }
    expect(missing).toEqual([]);
  });

  it("covers how many letters one character can stand for", () => {
    for (const [point, , folded] of wordCharacters()) {
      if (/[a-z0-9]/.test(folded)) expect(folded.length, point.toString(16)).toBeLessThanOrEqual(point < 0x800 ? 2 : 3);
    }
  });

  it("covers every way to write another letter", () => {
    const missing: string[] = [];
    for (const [point, character, folded] of wordCharacters()) {
      if (folded === character) continue;
      for (const letter of folded) {
        if (letter > "\u007f" && !variantsOf(letter).has(character))
          missing.push(`${point.toString(16)} for ${letter}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it("covers the base of a letter that can be written with a combining mark", () => {
    expect(variantsOf("が")).toContain("か");
    expect(variantsOf("й")).toContain("И");
    expect([...positionsOf("каталог\u0306")].length).toBe(1);
  });
});
