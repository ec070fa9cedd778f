/**
 * Writes output to the emulator within a time budget, so that a flood does not block the page. Unwritten output is not
 * acknowledged, and the runner then skips output and sends a snapshot.
 */
import { pieceEnd } from "./output-chunks.ts";

/** The refresh interval during a flood. */
const TURN_MS = 40;
/** The budget per interval: half of one processor. */
const BUDGET_MS = 20;

interface Waiting {
  bytes: Uint8Array | string;
  from: number;
  done: (() => void) | undefined;
}

export class PacedWriter {
  readonly #write: (bytes: Uint8Array | string, done: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #isWriting = false;
  #turn: ReturnType<typeof setTimeout> | undefined;
  #turnBegan = 0;
  #spentMs = 0;
  #isClosed = false;

  /** `write` calls back when the emulator has parsed the data. */
  constructor(write: (bytes: Uint8Array | string, done: () => void) => void) {
    this.#write = write;
  }

  /** Writes in order; calls `done` when all of it is on the screen. */
  push(bytes: Uint8Array | string, done?: () => void): void {
    this.#waiting.push({ bytes, from: 0, done });
    this.#goOn();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#turn);
    this.#waiting.length = 0;
  }

  /** Writes the next chunk if the budget allows, else in the next interval. */
  #goOn(): void {
    if (this.#isWriting || this.#turn !== undefined || this.#waiting.length === 0 || this.#isClosed) return;
    const restMs = this.#turnBegan + TURN_MS - performance.now();
    if (restMs <= 0) this.#startTurn();
    else if (this.#spentMs < BUDGET_MS) this.#writeNext();
    else this.#turn = setTimeout(() => this.#startTurn(), restMs);
  }

  #startTurn(): void {
    this.#turn = undefined;
    this.#turnBegan = performance.now();
    this.#spentMs = 0;
    this.#writeNext();
  }

  #writeNext(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const { bytes, from, done } = first;
    const end = typeof bytes === "string" ? bytes.length : pieceEnd(bytes, from);
    const isLast = end >= bytes.length;
    const began = performance.now();
    this.#isWriting = true;
    if (isLast) this.#waiting.shift();
    else first.from = end;
    this.#write(typeof bytes === "string" ? bytes : bytes.subarray(from, end), () => {
      this.#isWriting = false;
      if (this.#isClosed) return;
      this.#spentMs += performance.now() - began;
      if (isLast) done?.();
      this.#goOn();
    });
  }
}
