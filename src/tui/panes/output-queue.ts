/**
 * Buffers output for a pane's emulator and parses it in slices within the frame budget. Small output is an echo and is
 * parsed immediately; too much is a flood and is dropped.
 */
import type { ParseBudget } from "./parse-budget.ts";

/** More unparsed output than this is a flood. */
const FLOOD_ABOVE_BYTES = 128 * 1024;

/** The lower limit shortly after a flood, because snapshots are then cheaper than output. */
const STILL_FLOOD_ABOVE_BYTES = 24 * 1024;
const STILL_MS = 500;

/** The size of a slice: about a millisecond of parsing. */
const SLICE_BYTES = 16 * 1024;

/** Output up to this size bypasses the budget, so that an echo does not wait for another pane's flood. */
const LITTLE_BYTES = 2048;

export interface OutputQueueParts {
  budget: ParseBudget;
  feed(slice: Buffer): void;
  /** Some output was parsed. */
  onParsed(): void;
}

export class OutputQueue {
  private readonly parts: OutputQueueParts;
  private waiting: Buffer[] = [];
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private floodAt = Number.NEGATIVE_INFINITY;

  constructor(parts: OutputQueueParts) {
    this.parts = parts;
  }

  /** False in a flood: all buffered output was dropped. */
  add(data: Buffer): boolean {
    this.waiting.push(data);
    this.bytes += data.length;
    const isStill = performance.now() - this.floodAt < STILL_MS;
    if (this.bytes > (isStill ? STILL_FLOOD_ABOVE_BYTES : FLOOD_ABOVE_BYTES)) {
      this.clear();
      return false;
    }
    if (this.bytes <= LITTLE_BYTES) {
      this.parseAll();
      this.parts.onParsed();
    } else if (this.timer === undefined) this.parseSome();
    return true;
  }

  /** The flood continues from here, or has ended. */
  floodSeen(): void {
    this.floodAt = performance.now();
  }

  parseAll(): void {
    while (this.waiting.length > 0) this.parseSlice();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
    this.bytes = 0;
  }

  private parseSome(): void {
    this.timer = undefined;
    const { budget } = this.parts;
    while (this.waiting.length > 0) {
      const wait = budget.waitMs();
      if (wait > 0) {
        this.timer = setTimeout(() => this.parseSome(), wait);
        break;
      }
      budget.spend(() => this.parseSlice());
    }
    this.parts.onParsed();
  }

  private parseSlice(): void {
    const data = this.waiting[0] as Buffer;
    if (data.length <= SLICE_BYTES) this.waiting.shift();
    else this.waiting[0] = data.subarray(SLICE_BYTES);
    const slice = data.subarray(0, SLICE_BYTES);
    this.bytes -= slice.length;
    this.parts.feed(slice);
  }
}
