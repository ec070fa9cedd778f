/** Where a copy of a conversation may end, so that a model can continue it. */
import type { SessionMessage } from "../core/session.ts";

/**
 * The last message of a copy that forks at `message`, both counted from 0. A prompt is left out so that another can be sent, and
 * so is an answer with unanswered calls. Undefined if no answered message remains.
 */
export function cutPoint(messages: Iterable<SessionMessage>, message: number): number | undefined {
  let count = 0;
  /** The last possible ends of a copy: after an answer, its results and the notices after them. */
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
