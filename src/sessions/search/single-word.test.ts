/** A word by itself is found where the finder of all words finds it, and shown alike. */
import { expect, it } from "vitest";
import { randomFrom } from "../../../test/support/damaged-file.ts";
import { snippetOf, type Stretch } from "./places.ts";
import { SequenceFinder } from "./sequence.ts";
import { SingleWord } from "./single-word.ts";

const PIECES = [
  ...["find", "Find", "FIND", "finder", "pathFinder", "findAll", "refind", "x1find2", "fi", "nd", "FindHTTPPath", "a"],
  ...[" ", " ", " ", "\n", ".", "_", "-", "→", "é", "ﬁ", "́", "日本", "😀", "ſ", "K", "/", "…", "\t", "\u001b[32m"],
  ...["find".repeat(20), "x".repeat(70), " word".repeat(30)],
];

it("stands where it is found among others", () => {
  const random = randomFrom(3);
  let found = 0;
  for (let round = 0; round < 4000; round++) {
    const sequence = { steps: [["find", "finder", "path", "f", "x1find2"][random(5)]!], prefix: random(3) === 0 };
    const text = Array.from({ length: random(60) }, () => PIECES[random(PIECES.length)]!).join("");
    const expected: Stretch[] = [];
    new SequenceFinder([sequence]).search(text, { onFound: (_, start, end) => expected.push({ start, end }) });
    const word = new SingleWord(sequence);
    expect(word.in(text, true)).toEqual(expected);
    expect(snippetOf(text, word.in(text))).toEqual(snippetOf(text, expected.slice(0, 64)));
    found += expected.length;
  }
  expect(found).toBeGreaterThan(1000);
});
