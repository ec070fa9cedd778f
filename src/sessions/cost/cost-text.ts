/**
 * What sessions cost as a list prints it, written by the module that has summed it (wasm/ledger/cost-text.ts has the same
 * numbers): thousands of records would take longer to make than to add up.
 */
import type { WasmMemory } from "../../lib/wasm.ts";
import { COST_KINDS } from "./kind-numbers.ts";

export interface CostTextExports {
  memory: WasmMemory;
  setPiece(piece: number, length: number): number;
  pieceRoom(piece: number): number;
  startTexts(): number;
  costText(from: number, to: number): number;
}

/** As a cost record has them, after its first figure. */
const COUNTS = [
  "inputTokens",
  "outputTokens",
  "thinkingTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "cacheWrite1hTokens",
];

/** In the order of the module: before each value of the whole, and of the part of helpers; after them, with what ends a row; the kinds. */
function pieces(rowEnd: string): string[] {
  const before = (indent: string): string[] => [
    ...COUNTS.map((name) => `,\n${indent}"${name}": `),
    `,\n${indent}"kind": "`,
  ];
  return [
    `,\n    "cost": {\n      "totalUsd": `,
    ...before("      "),
    `",\n      "subagents": {\n        "totalUsd": `,
    ...before("        "),
    `"\n    }${rowEnd}`,
    `"\n      }\n    }${rowEnd}`,
    ...COST_KINDS,
  ];
}

export class CostTexts {
  readonly #exports: CostTextExports;
  readonly #texts: number;
  /** For each, after its text; -1 for one that the module leaves to others. */
  readonly #ends: Int32Array;
  readonly #starts: Int32Array;
  readonly bytes: number;

  /** Of some sessions; `starts` has the first sum of each that there is, and after the last one. `rowEnd`: put behind each text. */
  constructor(exports: CostTextExports, starts: Uint32Array, sessions: readonly number[], rowEnd: string) {
    this.#exports = exports;
    pieces(rowEnd).forEach((text, piece) => {
      const place = exports.pieceRoom(piece);
      const length = Buffer.from(exports.memory.buffer).write(text, place, "latin1");
      if (exports.setPiece(piece, length) === 0) throw new Error(`"${text}" is too long for a cost.`);
    });
    this.#texts = exports.startTexts();
    this.#starts = new Int32Array(sessions.length);
    this.#ends = new Int32Array(sessions.length);
    let end = 0;
    for (let i = 0; i < sessions.length; i++) {
      const from = starts[sessions[i]!]!;
      const to = starts[sessions[i]! + 1]!;
      this.#starts[i] = end;
      // Without any request there is nothing to tell.
      const next = from === to ? end : exports.costText(from, to);
      this.#ends[i] = from !== to && next === 0 ? -1 : next;
      end = Math.max(end, next);
    }
    this.bytes = end;
  }

  /** Copies all texts. */
  copy(target: Buffer, start: number): void {
    Buffer.from(this.#exports.memory.buffer).copy(target, start, this.#texts, this.#texts + this.bytes);
  }

  /** Tells of each session, from a place on, where its text lies when they were copied to `base`. */
  putSpans(base: number, starts: Uint32Array, ends: Uint32Array, first: number): void {
    for (let index = 0; index < this.#starts.length; index++) {
      starts[first + index] = base + this.#starts[index]!;
      ends[first + index] = base + this.#ends[index]!;
    }
  }

  /** Where among those a session's begins. */
  start(index: number): number {
    return this.#starts[index]!;
  }

  /** Where it ends: where it begins, when there is nothing to tell; -1 when the module has none for it. */
  end(index: number): number {
    return this.#ends[index]!;
  }
}
