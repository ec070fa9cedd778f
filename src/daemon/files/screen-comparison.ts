/** Compares terminals with a conversation if directory and time do not decide. */
import type { FoundConversation } from "./found-conversation.ts";
import { screenShowing } from "./screen-likeness.ts";

/** Agents write and display at slightly different times. */
const LOOK_AFTER_MS = 500;

/** Tries before the conversation counts as unseen, until its next message. */
const LOOKS = 3;

/** Thousands of changing files must not cause thousands of terminal reads: more than these are unseen at once. */
const MAX_WAITING = 16;

export interface ScreenComparisonParts {
  /** The last lines of a session's terminal. */
  screen(id: string): Promise<string>;
  /** The last messages of a conversation. */
  lastWords(found: FoundConversation): Promise<string>;
  onSeen(found: FoundConversation, id: string): void;
  /** No screen, or more than one, shows it. */
  onUnseen(found: FoundConversation): void;
}

interface Case {
  found: FoundConversation;
  suspects: readonly string[];
  looks: number;
}

export class ScreenComparison {
  readonly #parts: ScreenComparisonParts;
  readonly #open = new Map<string, Case>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ScreenComparisonParts) {
    this.#parts = parts;
  }

  /** One of these sessions may be writing it. */
  ask(found: FoundConversation, suspects: readonly string[]): void {
    const key = `${found.agent}\0${found.sessionId}`;
    const before = this.#open.get(key);
    if (before === undefined && this.#open.size >= MAX_WAITING) return this.#parts.onUnseen(found);
    // A conversation that is written all the time is decided too.
    this.#open.set(key, { found, suspects, looks: before?.looks ?? 0 });
    this.#soon();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#open.clear();
  }

  #soon(): void {
    if (this.#timer !== undefined || this.#open.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = undefined;
        this.#soon();
      });
    }, LOOK_AFTER_MS);
  }

  async #look(): Promise<void> {
    for (const [key, one] of [...this.#open]) {
      const id = await this.#find(one);
      // Replaced by a newer question.
      if (this.#open.get(key) !== one) continue;
      if (id === undefined && ++one.looks < LOOKS) continue;
      this.#open.delete(key);
      if (id === undefined) this.#parts.onUnseen(one.found);
      else this.#parts.onSeen(one.found, id);
    }
  }

  async #find({ found, suspects }: Case): Promise<string | undefined> {
    try {
      const words = await this.#parts.lastWords(found);
      const screens = await Promise.all(suspects.map(async (id) => [id, await this.#parts.screen(id)] as const));
      return screenShowing(words, new Map(screens));
    } catch {
      // A session ended or a file went meanwhile: the next look decides.
      return undefined;
    }
  }
}
