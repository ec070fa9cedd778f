/** Prompts that wait for a session, as its directory keeps them. */

/**
 * `queued`: waits. `delivering`: is being typed. `delivered`: its receipt is known. `held`: not sent, or unknown whether it
 * arrived; `note` says which, and it is never sent again by itself.
 */
export const PROMPT_STATES = ["queued", "delivering", "delivered", "held"] as const;

/** The transcript has it; the screen showed that it was taken; it was typed into a program that shows nothing. */
export const PROMPT_RECEIPTS = ["transcript", "screen", "typed"] as const;
export type PromptReceipt = (typeof PROMPT_RECEIPTS)[number];

export const MAX_PROMPT = 100_000;

/** Where the agent's transcript ended before the prompt was typed: its receipt can only be behind that. */
export interface TranscriptMark {
  /** Milliseconds since the epoch. */
  at: number;
  /** Absent if it was not known yet. */
  path?: string;
  size?: number;
}

export interface StoredPrompt {
  id: string;
  text: string;
  when: string;
  state: (typeof PROMPT_STATES)[number];
  paused?: true;
  created_at: string;
  due_at?: string;
  note?: string;
  delivered_at?: string;
  held_at?: string;
  receipt?: PromptReceipt;
  /** Tries in which nothing was typed. */
  attempts?: number;
  /** How often the session was started for it. */
  wakes?: number;
  /** Day of the last slot of one that repeats, taken before anything is typed. */
  slot?: string;
  mark?: TranscriptMark;
}

/** A prompt for which the daemon starts a session. */
export interface StoredSchedule extends StoredPrompt {
  agent: string;
  cwd: string;
  /** The last session started for it; named before it is started. */
  session?: string;
  /** Those before it that still ran when it was started. */
  sessions?: string[];
}

export interface StoredQueue {
  /** `killed`: by the user, until the session runs again. */
  paused?: "user" | "killed";
  /** When a signal did it. A machine that shuts down sends the same one, so it holds until the next boot. */
  signal_at?: string;
  items: StoredPrompt[];
}
