/** What the module that scans transcripts exports (wasm/claude-records.as.ts). */
import type { JsonLinesExports } from "../../lib/json-lines-exports.ts";
import type { PackingExports } from "../packed-rows.ts";
import type { StageExports } from "../staged-rows.ts";

export interface RecordScanExports extends JsonLinesExports, PackingExports, StageExports {
  packUsage(startMs: number, helpers: number, sidechain: number): number;
  setWord(word: number, number: number): void;
  start(): void;
  startBill(): void;
  goOn(hasBegun: number, hasPrompt: number, isDated: number, needsIds: number, lastReply: number): void;
  listedTexts(): number;
  scanEnds(head: number, headEnd: number, tail: number, tailEnd: number, whole: number): number;
  packEnds(
    head: number,
    headEnd: number,
    tail: number,
    tailEnd: number,
    whole: number,
    id: number,
    idLength: number,
  ): number;
  packTitled(id: number, idLength: number, title: number, titleLength: number): number;
  packCounted(id: number, idLength: number): number;
  nextOdd(): number;
  nextOddOfHelper(): number;
  nextOddOfBill(): number;
  addRecord(kind: number, id: number, parent: number, isSide: number, reply: number): void;
  addCall(id: number): void;
  addResult(id: number): void;
  goOnFrom(id: number): void;
  messageCount(): number;
  turnCount(): number;
  usageCount(): number;
  usageEntries(): number;
  usageKeys(): number;
  usageKeyLength(): number;
  usageTexts(): number;
  usageTextLength(): number;
  parsedUsage(reply: number, key: number, length: number): number;
  usageIndex(reply: number): number;
}
