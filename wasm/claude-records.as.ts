/**
 * Counts and bills the records of a Claude Code transcript where they lie. JavaScript (src/agents/claude/tally.ts) gets
 * only the lines that must be parsed; what was found in the others it takes before each of those, and in the end.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/agents/claude/record-scan.gen.ts.
 */
export { nextOddOfBill, nextOddOfHelper } from "./claude/bill";
export { addCall, addRecord, addResult, goOnFrom, messageCount, turnCount } from "./claude/conversation";
export { listedTexts, packCounted, packEnds, packTitled, scanEnds } from "./claude/listed";
export { goOn, nextOdd, start, startBill } from "./claude/records";
export { setWord } from "./json/fields";
export {
  packUsage,
  parsedUsage,
  usageIndex,
  usageCount,
  usageEntries,
  usageKeyLength,
  usageKeys,
  usageTextLength,
  usageTexts,
} from "./claude/usage";
export { forgetIds, idAt, wordOf, wordPlace } from "./json/ids";
export { addPath } from "./json/keys";
export { configure, feed, unread } from "./json/line";
export { packedCount, packedRows, packedTexts, relateKey, relateRows, setPiece, startRows } from "./json/list-rows";
export { allocate } from "./json/memory";
export {
  askedSecond,
  askedWord,
  forgetNumbers,
  setNumber,
  setPair,
  stageAt,
  stagedKeyBytes,
  stagedKeysAt,
  stagedRows,
  startStage,
} from "./json/staged-rows";
