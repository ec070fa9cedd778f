import { expect, test } from "vitest";
import { GraphemeWidths, ORDINARY_NARROW, tables, USUAL } from "./grapheme-widths.ts";

/** Width and joining of each character, by the given tables. */
function properties(widths: { charProperties(codePoint: number, preceding: number): number }, text: string): number[] {
  let state = 0;
  return [...text].map((character) => {
    state = widths.charProperties(character.codePointAt(0) ?? 0, state);
    return state & 7;
  });
}

test("cached widths equal the tables, for every pair of kinds", () => {
  const samples = [
    "a",
    " ",
    "é",
    "\u0301",
    "結",
    "ｱ",
    "─",
    "✓",
    "👩",
    "🚀",
    "\u200d",
    "\ufe0f",
    "🇩",
    "🇪",
    "\u0600",
    "\u0e33",
    "ᄀ",
    "ᅡ",
    "ᆨ",
    "가",
    "각",
    "한",
    "\u093f",
    "\u{1f3fb}",
    "\u00ad",
    "…",
    "“",
    "\u{110bd}",
  ];
  const widths = new GraphemeWidths();
  for (const first of samples) {
    for (const second of samples) {
      for (const third of ["x", "\u0301", "👩", "結"]) {
        const text = first + second + third;
        expect([text, ...properties(widths, text)]).toEqual([text, ...properties(tables(), text)]);
      }
    }
  }
});

test("usual characters are in the tables as they are taken without them", () => {
  const [KIND_AND_WIDTH, unlike]: [number, number[]] = [0x7f, []];
  for (const [first, last] of USUAL) {
    for (let code = first; code <= last; code++)
      if ((tables().charProperties(code, ORDINARY_NARROW) & KIND_AND_WIDTH) !== ORDINARY_NARROW) unlike.push(code);
  }
  expect(unlike).toEqual([]);
});

test("random text has the same widths with and without the cache", () => {
  const widths = new GraphemeWidths();
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let round = 0; round < 200; round++) {
    const codes = Array.from({ length: 100 }, () => {
      const code = [random(0x80), random(0x3000), random(0xd800), 0x1f000 + random(0x1000)][random(4)] ?? 0x20;
      return code < 0x20 ? 0x20 : code;
    });
    const text = String.fromCodePoint(...codes);
    expect(properties(widths, text)).toEqual(properties(tables(), text));
  }
});
