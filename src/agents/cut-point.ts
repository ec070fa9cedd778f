/** Where a copy of a conversation may end, so that a model can go on with it. */
import type { SessionMessage } from "../core/session.ts";

/**
 * The last message of a copy that goes on from `message`, both counted from 0. A prompt is left out, so that something else can
 * be asked; so is an answer whose calls were never answered. Undefined: nothing that was answered remains.
 */
export function cutPoint(messages: Iterable<SessionMessage>, message: number): number | undefined {
  let count = 0;
  /** The last places a copy could end at: behind an answer and its results, and notices after them. */
  let whole: number | undefined;
  let reply: SessionMessage | undefined;
  for (const one of messages) {
    if (count > message && one.role !== "tool") break;
    if (one.role === "user") reply = undefined;
    else if (one.role === "assistant") reply = one;
    const isOpen = reply?.toolCalls?.some((call) => call.output === undefined) === true;
    if (reply !== undefined && !isOpen) whole = count;
    count++;
  }
  return whole;
}
