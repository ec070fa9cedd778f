/**
 * Words of many passages and the rows they stand in, gathered in memory and given back as sorted blocks: the part of
 * building an index that looks at every byte of every text. What a word is, is said in src/sessions/search/words.ts; here
 * are its rules for ASCII. Where a run holds anything else, JavaScript is asked.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/sessions/search/word-gatherer.gen.ts.
 */
import { goToRow, startGathering } from "./words/gathered";
import { nextText, setJson, startJson, textStart, textStop } from "./words/json";
import { allocate, forget } from "./words/memory";
import { startPassage } from "./words/passage";
import { startTokens, stretchEnd, tokenize } from "./words/tokens";

export { blockAddress, sortWords, writeBlock } from "./words/blocks";
export { takeUnits } from "./words/json";
export { inUse } from "./words/memory";
export { addForm, setCounting, stretchEnd, stretchStart, takePositions } from "./words/tokens";

/** Enough for the pieces that texts come in; only what nothing divides is longer. */
const INPUT_BYTES: usize = 1_048_576;
let input: usize = 0;
let inputBytes: usize = 0;

/** Forgets everything. */
export function start(): void {
  forget();
  inputBytes = 0;
  startGathering();
  startTokens();
  startPassage();
  startJson();
}

/** Where to put a text of this many bytes. */
export function inputFor(bytes: usize): usize {
  if (bytes > inputBytes) {
    inputBytes = max(bytes, INPUT_BYTES);
    // Whole vectors are read.
    input = allocate(inputBytes + 16);
  }
  return input;
}

/** Words that are added from now on stand in this row. */
export function setRow(row: u32): void {
  goToRow(row);
  startPassage();
}

/** Adds the words between two addresses. True when there is a stretch that JavaScript has to divide into words first. */
export function addText(from: usize, to: usize): bool {
  return tokenize(from, to);
}

/** Adds the words of a piece of JSON: a text, one that goes on with the text before it, or all texts in a value. */
export function addJson(what: u32, from: usize, to: usize): bool {
  setJson(what, from, to);
  return addTexts();
}

/** Goes on after a stretch. True when there is one more that JavaScript has to divide into words first. */
export function addMoreOfJson(): bool {
  return tokenize(stretchEnd(), textStop()) || addTexts();
}

function addTexts(): bool {
  while (nextText()) if (tokenize(textStart(), textStop())) return true;
  return false;
}
