/** A recording's events at the times they are played: long pauses are shortened. */
import type { Cast, CastEvent } from "../../protocol/cast.ts";

/** Nobody wants to watch an agent think for ten minutes. */
const MAX_PAUSE_S = 2;

export class CastTimeline {
  readonly events: readonly CastEvent[];
  /** In seconds. */
  readonly length: number;

  constructor({ events }: Cast) {
    let saved = 0;
    let before = 0;
    this.events = events.map((event) => {
      saved += Math.max(0, event.at - before - MAX_PAUSE_S);
      before = event.at;
      return { ...event, at: event.at - saved };
    });
    this.length = this.events.at(-1)?.at ?? 0;
  }

  /** The number of events up to this time. */
  countUntil(seconds: number): number {
    let [low, high] = [0, this.events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.events[middle]!.at <= seconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
