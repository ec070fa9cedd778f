/** Input events of the terminal. */
import type { Key } from "./key.ts";

export interface MouseEvent {
  type: "mouse";
  action: "press" | "release" | "move" | "wheel-up" | "wheel-down" | "wheel-left" | "wheel-right";
  /** 0 left, 1 middle, 2 right; for a move the pressed button, or none. */
  button: number | undefined;
  /** Counted from 0. */
  x: number;
  y: number;
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

export type InputEvent =
  | { type: "key"; key: Key }
  | MouseEvent
  | { type: "paste"; text: string }
  | { type: "focus"; gained: boolean }
  /** A sequence that is not input: a terminal's reply, or an unknown one. */
  | { type: "answer"; sequence: string };
