/**
 * The events of one run for any number of readers. The slowest reader sets the pace: beyond the high-water mark the source is
 * paused. Without readers only the newest events are held.
 */
import type { AgentEvent } from "../core/agent-event.ts";

export const HIGH_WATER_MARK = 1000;
/** Low enough that pausing and resuming do not alternate with every event. */
const LOW_WATER_MARK = HIGH_WATER_MARK / 2;

interface Reader {
  /** Number of the next event it gets. */
  next: number;
  wake?: () => void;
}

export class EventLog {
  #held: AgentEvent[] = [];
  /** Number of the first event in `#held`. */
  #first = 0;
  #ended = false;
  #isFull = false;
  readonly #readers = new Set<Reader>();
  readonly #onFull: (isFull: boolean) => void;
  readonly #gap: (lost: number) => AgentEvent;

  /** `gap` creates the event that tells a late reader how many events it missed. */
  constructor(onFull: (isFull: boolean) => void, gap: (lost: number) => AgentEvent) {
    this.#onFull = onFull;
    this.#gap = gap;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  push(event: AgentEvent): void {
    this.#held.push(event);
    this.#forget();
    this.#weigh();
    for (const reader of this.#readers) reader.wake?.();
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.wake?.();
  }

  async *read(): AsyncGenerator<AgentEvent, void, undefined> {
    const reader: Reader = { next: this.#first };
    const lost = this.#first;
    this.#readers.add(reader);
    try {
      if (lost > 0) yield this.#gap(lost);
      for (;;) {
        while (reader.next < this.#end) {
          const event = this.#held[reader.next - this.#first]!;
          reader.next++;
          this.#weigh();
          yield event;
        }
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          reader.wake = resolve;
        });
        delete reader.wake;
      }
    } finally {
      this.#readers.delete(reader);
      this.#weigh();
    }
  }

  get #end(): number {
    return this.#first + this.#held.length;
  }

  get #lag(): number {
    let lag = 0;
    for (const reader of this.#readers) lag = Math.max(lag, this.#end - reader.next);
    return lag;
  }

  /** Drops what every reader has seen, in batches: shifting an array by one is not free. */
  #forget(): void {
    const surplus = this.#held.length - Math.max(HIGH_WATER_MARK, this.#lag);
    if (surplus < HIGH_WATER_MARK) return;
    this.#held = this.#held.slice(surplus);
    this.#first += surplus;
  }

  #weigh(): void {
    const lag = this.#lag;
    const isFull = this.#isFull ? lag > LOW_WATER_MARK : lag >= HIGH_WATER_MARK;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    this.#onFull(isFull);
  }
}
