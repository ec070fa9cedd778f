/**
 * Output on its way from a session to its emulator: read in slices, at a bounded share of each frame. A little of it is an
 * echo and never waits; too much of it is a flood, which nobody can see all of.
 */
import type { ParseBudget } from "./parse-budget.ts";

/** More unread output than this is a flood. */
const FLOOD_ABOVE_BYTES = 128 * 1024;

/** One that was a flood a moment ago is one sooner: its pictures are worth more than its text. */
const STILL_FLOOD_ABOVE_BYTES = 24 * 1024;
const STILL_MS = 500;

/** Parsed in one go: a millisecond. */
const SLICE_BYTES = 16 * 1024;

/** An echo, a prompt, a line: less work than asking whether there is time for it, and it must not wait for another pane's flood. */
const LITTLE_BYTES = 2048;

export interface OutputQueueParts {
  budget: ParseBudget;
  feed(slice: Buffer): void;
  /** Some of it has been read. */
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

  /** False: it is a flood, and all that waited is gone. */
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

  /** The flood goes on from here, or is over. */
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
