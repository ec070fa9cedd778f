/** A session's state for a sender; two questions differ if their name or time does. */
import { isUrgent, type State } from "../core/state.ts";

export interface QuestionState {
  state: State;
  ask?: string;
  message?: string;
  /** A hook waits for the decision. */
  held?: boolean;
  /** Labels of the hook's options. */
  options?: readonly string[];
  /** Milliseconds since the epoch. */
  since: number;
}

/** Whether the question has changed, or work has begun. */
export function hasGoneOn(before: QuestionState | undefined, now: QuestionState | undefined): boolean {
  if (now === undefined) return false;
  if (before === undefined || !isUrgent(before.state)) return now.state === "working" || now.since !== before?.since;
  return now.state !== before.state || now.ask !== before.ask || now.since !== before.since;
}
