/** A terminal as somebody uses it who looks before each key. */
import type { ShownRow } from "./shown-row.ts";

export type HandKey = "up" | "down" | "left" | "right" | "enter" | "space" | "tab" | "escape";

type Awaitable<Value> = Value | Promise<Value>;

export interface Hands {
  rows(): Awaitable<readonly ShownRow[]>;
  press(key: HandKey): Awaitable<void>;
  /** Words, as a paste where the program takes one. */
  say(text: string): Awaitable<void>;
  /** The program has ended. */
  isOver?(): boolean;
  /** What was asked is not asked any more, whatever is shown. */
  hasGoneOn?(): Awaitable<boolean>;
}

/** Programs redraw within a few of these. */
const LOOK_EVERY_MS = 40;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What is looked for, as soon as it is there; undefined when it does not come in time. */
export async function lookFor<Found>(
  look: () => Awaitable<Found | undefined>,
  withinMs: number,
): Promise<Found | undefined> {
  for (const deadline = performance.now() + withinMs; ; await pause(LOOK_EVERY_MS)) {
    const found = await look();
    if (found !== undefined || performance.now() > deadline) return found;
  }
}
