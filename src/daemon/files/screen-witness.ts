/** Looks at terminals when directory and time leave it open which of several sessions writes a conversation. */
import type { FoundConversation } from "./found-conversation.ts";
import { shownOn } from "./screen-likeness.ts";

/** Agents write first and show a moment later, or the other way round. */
const LOOK_AFTER_MS = 500;

/** One that is not found out at the first look is looked for again, until its next message comes. */
const LOOKS = 3;

/** Thousands of files that change at once are no reason to read all terminals thousands of times. */
const MAX_WAITING = 16;

export interface ScreenWitnessParts {
  /** The last lines of a session's terminal. */
  screen(id: string): Promise<string>;
  /** What was said last in a conversation. */
  lastWords(found: FoundConversation): Promise<string>;
  onSeen(found: FoundConversation, id: string): void;
}

interface Case {
  found: FoundConversation;
  suspects: readonly string[];
  looks: number;
}

export class ScreenWitness {
  readonly #parts: ScreenWitnessParts;
  readonly #open = new Map<string, Case>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ScreenWitnessParts) {
    this.#parts = parts;
  }

  /** One of these sessions may be writing it. */
  ask(found: FoundConversation, suspects: readonly string[]): void {
    const key = `${found.agent}\0${found.sessionId}`;
    if (this.#open.size >= MAX_WAITING && !this.#open.has(key)) return;
    this.#open.set(key, { found, suspects, looks: 0 });
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
      // Asked anew meanwhile: that is another case.
      if (this.#open.get(key) !== one) continue;
      if (id !== undefined || ++one.looks >= LOOKS) this.#open.delete(key);
      if (id !== undefined) this.#parts.onSeen(one.found, id);
    }
  }

  async #find({ found, suspects }: Case): Promise<string | undefined> {
    try {
      const words = await this.#parts.lastWords(found);
      const screens = await Promise.all(suspects.map(async (id) => [id, await this.#parts.screen(id)] as const));
      return shownOn(words, new Map(screens));
    } catch {
      // A session that ended, or a file that went, meanwhile: the next look will tell, or none is needed.
      return undefined;
    }
  }
}
