/** Instances of the module that settles, prices and sums requests (wasm/ledger.as.ts). */
import { instantiateWasm, wasmMemory, type WasmMemory, type WasmModule } from "../../lib/wasm.ts";
import { compileOptimised } from "../../lib/optimised-wasm.ts";
import type { CostTextExports } from "./cost-text.ts";
import { LEDGER_WASM } from "./row-ledger.gen.ts";

interface Exports extends CostTextExports {
  /** Begins anew, behind what is kept. */
  start(rows: number, sessions: number): void;
  allocate(bytes: number): number;
  keep(): number;
  forget(): void;
  setColumn(column: number, place: number): void;
  own(): void;
  nextUnsound(row: number, latest: number): number;
  sum(session: number): number;
  modelCount(): number;
  toldNanoUsd(row: number, isCovered: number): number;
  priceRoom(): number;
  addPrice(bytes: number): void;
  place(
    start: number,
    at: number,
    model: number,
    cwd: number,
    branch: number,
    kind: number,
    isSubagent: number,
  ): number;
  add(index: number, at: number, requests: number, nanoUsd: number, ...tokens: number[]): void;
  spendingCount(): number;
  packed(): number;
}

// Columns as in wasm/ledger.
export const DOUBLES = [
  "at",
  "input",
  "cached",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "thinking",
  "webSearches",
  "reported",
] as const;
export const WORDS = ["model", "cwd", "branch", "subagent", "modifiers", "keyNumber"] as const;
export const KEY_START = DOUBLES.length + WORDS.length;
export const KEY_LENGTH = KEY_START + 1;
export const FLAGS = KEY_START + 2;
export const KEYS = FLAGS + 1;
export const SESSIONS = FLAGS + 2;

export class LedgerModule {
  readonly exports: Exports & { memory: WasmMemory };
  /** Who answers what it asks about the rows that are being worked on. */
  answers: { comesFirst(a: number, b: number): boolean; lookUp(row: number): void } | undefined;

  /** `bytes`: of its memory, to begin with. */
  constructor(bytes = LEAST_BYTES) {
    compiled ??= compileOptimised(LEDGER_WASM);
    this.exports = instantiateWasm<Exports>(compiled, {
      memory: wasmMemory(Math.max(bytes, LEAST_BYTES)),
      comesFirst: (a: number, b: number) => (this.answers!.comesFirst(a, b) ? 1 : 0),
      lookUp: (row: number) => this.answers!.lookUp(row),
    });
  }
}

/** As the module asks for. */
const LEAST_BYTES = 8 * 65_536;

let compiled: WasmModule | undefined;
let shared: LedgerModule | undefined;

/** For rows that have no room in one of their own, and are copied. */
export function sharedModule(): LedgerModule {
  shared ??= new LedgerModule();
  return shared;
}
