/**
 * Hands output to the emulator, at most so much of it in a stretch of time. What somebody types is answered at once; a flood
 * gets its share and no more, so that the rest of the page, and the machine it is on, go on. What is not written yet is not
 * acknowledged, and what is not acknowledged is not sent: the runner skips it and sends a picture instead.
 */
import { pieceEnd } from "./output-chunks.ts";

/** A flood is drawn so often; more nobody can read. */
const TURN_MS = 40;
/** Of each turn; half of one processor. */
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

  /** `write` says when the emulator is done with it. */
  constructor(write: (bytes: Uint8Array | string, done: () => void) => void) {
    this.#write = write;
  }

  /** In order; `done` when all of it is on the screen. */
  push(bytes: Uint8Array | string, done?: () => void): void {
    this.#waiting.push({ bytes, from: 0, done });
    this.#goOn();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#turn);
    this.#waiting.length = 0;
  }

  /** Writes the next piece if there is time left in this turn; else in the next one. */
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
