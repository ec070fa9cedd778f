/** Words for queued prompts, the same in every interface. */
import { localTime } from "../../lib/text/local-time.ts";
import type { QueuedPrompt } from "../../protocol/queue.ts";

export interface QueueCounts {
  queued?: number | undefined;
  queue_held?: number | undefined;
}

/** `2 queued`, `1 held`. */
export function queueWords({ queued = 0, queue_held = 0 }: QueueCounts): string[] {
  return [...(queued > 0 ? [`${queued} queued`] : []), ...(queue_held > 0 ? [`${queue_held} held`] : [])];
}

/** When it is sent, or what became of it. */
export function dueText({ state, when, due_at, delivered_at }: QueuedPrompt): string {
  if (state === "delivered" && delivered_at !== undefined) return localTime(new Date(delivered_at));
  if (when === "idle") return "when idle";
  const due = due_at === undefined ? undefined : localTime(new Date(due_at));
  if (when === "reset") return due === undefined ? "after the reset" : `after the reset, ${due}`;
  return /^\d/.test(when) ? (due ?? localTime(new Date(when))) : `${when}${due === undefined ? "" : `, next ${due}`}`;
}
