import { expect, it } from "vitest";
import { stretchesOf } from "./syntax.ts";

const coloured = (text: string, language: string): string[] | undefined =>
  stretchesOf(text, language)?.map(({ start, end, colour }) => `${colour} ${text.slice(start, end)}`);

it("colours words, strings and comments at their places, also after characters that HTML escapes", () => {
  expect(coloured('if (a < b && c > "d") return 1; // <e>', "ts")).toEqual([
    "keyword if",
    'string "d"',
    "keyword return",
    "number 1",
    "comment // <e>",
  ]);
});

it("leaves code within a template in its own colours", () => {
  expect(coloured("`a ${b + 1} c`", "js")).toEqual(["string `a ", "number 1", "string  c`"]);
});

it("knows files by their ending, and leaves an unknown language alone", () => {
  expect(coloured("key: 1", "yml")).toEqual(["title key:", "number 1"]);
  expect(stretchesOf("x", "no-such-language")).toBeUndefined();
});
