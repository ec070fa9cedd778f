import { expect, it } from "vitest";
import { changedWords } from "./changed-words.ts";

const parts = (text: string, spans: readonly (readonly [number, number])[] = []): string[] =>
  spans.map(([from, to]) => text.slice(from, to));

it.each([
  ["return old;", "return mended;", ["old"], ["mended"]],
  ["a(1, 2)", "a(1, 2, 3)", [], [", 3"]],
  ["let price = 10;", "const price = 10;", ["let"], ["const"]],
  ["größe = 店", "größe = 屋", ["店"], ["屋"]],
])("only the changed words of %s", (before, after, removed, added) => {
  const found = changedWords(before, after);
  expect(parts(before, found?.before)).toEqual(removed);
  expect(parts(after, found?.after)).toEqual(added);
});

it.each([
  ["equal lines", "same", "same"],
  ["lines with nothing in common", "return old;", "import { x } from 'y'"],
  ["very long lines", "a b ".repeat(1000), "a c ".repeat(1000)],
])("nothing is marked in %s", (_, before, after) => {
  expect(changedWords(before, after)).toBeUndefined();
});
