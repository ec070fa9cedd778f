import { expect, it } from "vitest";
import { randomFrom } from "../../../test/support/seeded-random.ts";
import { snippetOf } from "./snippets.ts";

const PIECES = ["a", "word", " ", " ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u2028", "\ufeff", "é", "→"];

it("a snippet has a single blank for any white space", () => {
  const random = randomFrom(17);
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: random(12) }, () => PIECES[random(PIECES.length)]!).join("");
    const start = text.indexOf("word");
    const stretches = start === -1 ? [] : [{ start, end: start + 4 }];
    const { snippet, marks } = snippetOf(text, stretches);
    expect(snippet).toBe(text.replace(/\s+/g, " ").trimStart());
    expect(marks.map((mark) => snippet.slice(mark.start, mark.end))).toEqual(stretches.map(() => "word"));
  }
});
