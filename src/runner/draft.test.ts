import { expect, it } from "vitest";
import { Draft } from "./draft.ts";

const isOpenAfter = (...pieces: string[]): boolean => {
  const draft = new Draft();
  for (const piece of pieces) draft.typed(Buffer.from(piece), 1);
  return draft.isOpen;
};

it.each([
  ["a word", ["he", "llo"]],
  ["a paste with line ends", ["\u001b[200~one\r\ntwo\u001b[201~"]],
  ["a word after a sent one", ["hello\rmore"]],
  ["a word of which a letter was deleted", ["hello", "\u007f"]],
])("%s is a draft", (_, pieces) => {
  expect(isOpenAfter(...pieces)).toBe(true);
});

it("a prompt that was not taken is a draft until somebody sends or clears it", () => {
  const draft = new Draft();
  draft.left(5);
  expect([draft.isOpen, draft.at]).toEqual([true, 5]);
  draft.typed(Buffer.from("\u0015"), 6);
  expect(draft.isOpen).toBe(false);
});

it.each([
  ["a sent word", ["hello", "\r"]],
  ["a deleted word", ["hi", "\u007f\u007f"]],
  ["a word and Ctrl-U", ["hello\u0015"]],
  ["a word and Ctrl-C as a sequence", ["hello", "\u001b[99;5u"]],
  ["arrows, a focus and a mouse report", ["\u001b[A\u001bOB", "\u001b[I", "\u001b[<35;10;5M"]],
  ["nothing", []],
])("%s is none", (_, pieces) => {
  expect(isOpenAfter(...pieces)).toBe(false);
});
