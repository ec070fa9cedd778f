/** A terminal operated by looking before each key. */
import type { ShownRow } from "./shown-row.ts";

export type OperatorKey = "up" | "down" | "left" | "right" | "enter" | "space" | "tab" | "escape";

type Awaitable<Value> = Value | Promise<Value>;

export interface TerminalOperator {
  rows(): Awaitable<readonly ShownRow[]>;
  press(key: OperatorKey): Awaitable<void>;
  /** Text, as a paste if the program accepts one. */
  say(text: string): Awaitable<void>;
  /** Text into an option, as keys: for a program whose dialogs ignore a paste. */
  fill?(text: string): Awaitable<void>;
  /** The program has ended. */
  isOver?(): boolean;
  /** The question is over, whatever is on the screen. */
  hasGoneOn?(): Awaitable<boolean>;
}

/** Programs redraw within a few of these. */
const LOOK_EVERY_MS = 40;

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Polls until `look` finds something; undefined after the time limit. */
export async function lookFor<Found>(
  look: () => Awaitable<Found | undefined>,
  withinMs: number,
): Promise<Found | undefined> {
  for (const deadline = performance.now() + withinMs; ; await pause(LOOK_EVERY_MS)) {
    const found = await look();
    if (found !== undefined || performance.now() > deadline) return found;
  }
}
