/** Questions answered on this page. They disappear immediately, before the program reports a new state. */
import { signal } from "@preact/signals";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import { api } from "../state/api.ts";
import { attempt, tell } from "../ui/notices.ts";

const answered = signal<ReadonlySet<string>>(new Set());

/** A question is identified by its text and time. */
export function keyOf({ session_id, since, text = "" }: AttentionItem): string {
  return `${session_id} ${since} ${text}`;
}

export function isAnswered(item: AttentionItem): boolean {
  return answered.value.has(keyOf(item));
}

/** Whether the session waits for it. */
export function isPressing({ reason }: AttentionItem): boolean {
  return reason === "permission" || reason === "question";
}

/** Returns whether the program took it. */
export async function sendAnswer(item: AttentionItem, answer: string): Promise<boolean> {
  const receipt = await attempt(() => api.answer(item.session_id, answer, item.asked));
  if (receipt === undefined) return false;
  if (!receipt.confirmed) {
    tell(`${item.title} did not accept the answer. Open its terminal to check.`, { tone: "bad" });
    return false;
  }
  answered.value = new Set([...answered.value, keyOf(item)]);
  tell(`Sent to ${item.title}: ${receipt.option ?? answer}`);
  return true;
}
