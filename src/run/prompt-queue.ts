/** Prompts that wait for their turn. */
import type { QueueMoment } from "./run-handle.ts";

export class PromptQueue {
  readonly #waiting: { prompt: string; when: QueueMoment }[] = [];

  add(prompt: string, when: QueueMoment): void {
    this.#waiting.push({ prompt, when });
  }

  /** The first prompt for this moment. The end of a turn is the last chance, so nothing is left behind. */
  next(moment: QueueMoment): string | undefined {
    const index = this.#waiting.findIndex(({ when }) => when === moment || moment === "next-turn");
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0]!.prompt;
  }
}
