import { expect, it } from "vitest";
import { BEGINS_WITHIN_MS, Draft } from "./draft.ts";

const draftOf = (...pieces: string[]): Draft => {
  const draft = new Draft();
  for (const piece of pieces) draft.typed(Buffer.from(piece), 1);
  return draft;
};

it.each([
  ["a word", ["he", "llo"]],
  ["a paste with line ends", ["\u001b[200~one\r\ntwo\u001b[201~"]],
  ["a paste of which a letter was deleted", ["\u001b[200~hello\u001b[201~", "\u007f"]],
  ["a paste in pieces that ends with a line end", ["\u001b[200~one", "\rtwo\r\u001b[2", "01~"]],
  ["a long paste", [`\u001b[200~${"x".repeat(5000)}\r`, "\u001b[201~"]],
  ["a word after a sent one", ["hello\rmore"]],
  ["a word of which a letter was deleted", ["hello", "\u007f"]],
  ["a word, a backslash and Enter", ["hello\\", "\r"]],
  ["a recalled prompt", ["\u001b[A"]],
  ["an accepted suggestion", ["\t"]],
])("%s is a draft", (_, pieces) => {
  expect(draftOf(...pieces).isOpen).toBe(true);
});

it("a prompt that was not taken is a draft until somebody sends or clears it", () => {
  const draft = new Draft();
  draft.left();
  expect(draft.isOpen).toBe(true);
  draft.typed(Buffer.from("\u0015"), 6);
  expect(draft.isOpen).toBe(false);
});

it("a draft stays while a question is answered with keys", () => {
  const draft = draftOf("half a sen");
  draft.isAsked = true;
  draft.typed(Buffer.from("\u001b[B\r"), 2);
  draft.isAsked = false;
  expect(draft.isOpen).toBe(true);
});

it("what is typed after Enter stays when its turn begins; a turn without an Enter has sent the draft", () => {
  const draft = draftOf("hello\r", "more");
  draft.begun(500);
  expect(draft.isOpen).toBe(true);
  draft.begun(BEGINS_WITHIN_MS + 2);
  expect(draft.isOpen).toBe(false);
});

it.each([
  ["a sent word", ["hello", "\r"]],
  ["a word sent with a sequence", ["hello", "\u001b[13u"]],
  ["a sent paste", ["\u001b[200~hello\\\u001b[201~", "\r"]],
  ["a deleted word", ["hi", "\u007f\u007f"]],
  ["a word and Ctrl-U", ["hello\u0015"]],
  ["a word and Ctrl-C as a sequence", ["hello", "\u001b[99;5u"]],
  ["arrows, a focus and a mouse report", ["\u001b[B\u001bOC", "\u001b[I", "\u001b[<35;10;5M"]],
  ["nothing", []],
])("%s is none", (_, pieces) => {
  expect(draftOf(...pieces).isOpen).toBe(false);
});
