/**
 * Message times of a chat. Message blobs have none, but turns (a user message and the steps of the answer) do. Turns
 * are matched with messages by text, in order.
 */
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import { turnsOf, type ChatState, type Turn } from "./format-store.ts";

export class ChatTimes {
  readonly #turns: Turn[];
  #current = -1;

  constructor(database: ReadOnlyDatabase, state: ChatState) {
    this.#turns = turnsOf(database, state);
  }

  /** The time of a prompt; earlier turns are done. */
  ofPrompt(text: string): number | undefined {
    const index = this.#turns.findIndex((turn, candidate) => candidate > this.#current && same(turn.prompt.text, text));
    if (index === -1) return undefined;
    this.#current = index;
    return this.#turns[index]!.prompt.at;
  }

  /** The time of a reply in the current turn, by its text or else by its reasoning. */
  ofReply(text: string, thinking: string | undefined): number | undefined {
    const steps = this.#turns[this.#current]?.steps ?? [];
    const wanted = text === "" ? thinking : text;
    return wanted === undefined ? undefined : steps.find((step) => same(step.text, wanted))?.at;
  }
}

function same(a: string, b: string): boolean {
  return a.trim() === b.trim();
}
