/**
 * Rows of usage that a scanner's module has written column by column (wasm/json/staged-rows.ts) and holds until somebody looks
 * at them: those of many sessions are taken in one go.
 */
import type { Texts } from "../lib/texts.ts";
import type { WasmMemory } from "../lib/wasm.ts";
import type { RowColumns } from "./row-columns.ts";
import type { UsageRows } from "./usage-rows.ts";

/** What such a module exports. */
export interface StageExports {
  startStage(keyBase: number): void;
  forgetNumbers(): void;
  stageAt(): number;
  stagedRows(): number;
  stagedKeysAt(): number;
  stagedKeyBytes(): number;
  askedWord(): number;
  askedSecond(): number;
  setNumber(word: number, number: number): void;
  setPair(first: number, second: number, number: number): void;
}

// As in the module.
const CAPACITY = 4096;
/** So many of one session, and no more. */
export const MAX_STAGED = CAPACITY;
const DOUBLES = [
  ...["at", "input", "cached", "cacheWrite", "cacheWrite1h"],
  ...["output", "thinking", "webSearches", "reported"],
] as (keyof RowColumns)[];
const WORDS = [
  ...["model", "cwd", "branch", "subagent", "modifiers"],
  ...["keyNumber", "keyStart", "keyLength"],
] as (keyof RowColumns)[];
const ASKED_TEXT = 1;

export type StagingModule = StageExports & { readonly memory: WasmMemory };

/** The module, and who knows what it asks for. */
export interface StageOwner {
  readonly stageExports: StagingModule;
  textOfWord(word: number): string | undefined;
  modifiersOfWords(first: number, second: number): readonly string[];
}

export class RowStage {
  readonly #owner: StageOwner;
  #rows: UsageRows | undefined;
  #texts: Texts | undefined;

  constructor(owner: StageOwner) {
    this.#owner = owner;
  }

  /** Makes room for as many rows, which the module packs next. False when they are too many for it. */
  begin(rows: UsageRows, count: number): boolean {
    if (count > CAPACITY) return false;
    if (this.#rows !== rows || this.#owner.stageExports.stagedRows() + count > CAPACITY) this.#begin(rows);
    return true;
  }

  #begin(rows: UsageRows): void {
    this.#rows?.settle();
    rows.settle();
    this.#rows = rows;
    const exports = this.#owner.stageExports;
    exports.startStage(rows.hold(this));
    if (this.#texts !== rows.texts) exports.forgetNumbers();
    this.#texts = rows.texts;
  }

  /** What the module asks for while it packs: then it packs again. */
  answer(rows: UsageRows, asked: number): void {
    const exports = this.#owner.stageExports;
    const word = exports.askedWord();
    if (asked === ASKED_TEXT) exports.setNumber(word, rows.texts.numberOf(this.#owner.textOfWord(word)));
    else {
      const second = exports.askedSecond();
      exports.setPair(word, second, rows.modifiersNumber(this.#owner.modifiersOfWords(word, second)));
    }
  }

  /** Gives what it holds to the rows it holds it for. */
  release(columns: RowColumns, end: number): Uint8Array {
    this.#rows = undefined;
    const { stageExports } = this.#owner;
    const { buffer } = stageExports.memory;
    const count = stageExports.stagedRows();
    const first = end - count;
    let place = stageExports.stageAt();
    for (const name of DOUBLES) {
      columns[name].set(new Float64Array(buffer, place, count), first);
      place += 8 * CAPACITY;
    }
    for (const name of WORDS) {
      columns[name].set(new Int32Array(buffer, place, count), first);
      place += 4 * CAPACITY;
    }
    columns.flags.set(new Uint8Array(buffer, place, count), first);
    return new Uint8Array(buffer, stageExports.stagedKeysAt(), stageExports.stagedKeyBytes());
  }
}
