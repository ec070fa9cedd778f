/** What a session is doing at a moment, for who speaks to it; a question is another one when its name or its time is. */
import { isUrgent, type State } from "../core/state.ts";

export interface Standing {
  state: State;
  ask?: string;
  message?: string;
  /** The labels of what its hook offers to choose from. */
  options?: readonly string[];
  /** Milliseconds since the epoch. */
  since: number;
}

/** Whether what was asked is no longer what is asked, or work has begun. */
export function hasGoneOn(before: Standing | undefined, now: Standing | undefined): boolean {
  if (now === undefined) return false;
  if (before === undefined || !isUrgent(before.state)) return now.state === "working" || now.since !== before?.since;
  return now.state !== before.state || now.ask !== before.ask || now.since !== before.since;
}
