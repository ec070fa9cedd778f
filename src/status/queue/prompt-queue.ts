/**
 * Delivers a session's queued prompts, each at most once. What is about to happen is on disk before the first byte is typed. After
 * a crash, the agent's transcript decides whether a prompt arrived. If it does not say so, the prompt is held for the user.
 */
import type { PromptReceipt, StoredPrompt, StoredQueue, TranscriptMark } from "../../core/queue.ts";
import { truncate } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Receipt } from "../../protocol/daemon-api.ts";
import { dueAt, replaced, withMendedSlots } from "./changes.ts";
import { slotOf, storedWhen } from "./when.ts";

export interface QueuePort {
  now(): number;
  /** Returns when it is on disk; throws if it cannot be saved. */
  save(queue: StoredQueue): void;
  /** Why nothing can be typed now. */
  obstacle(prompt: StoredPrompt): string | undefined;
  /** When the limit of the session's account resets, in milliseconds since the epoch. */
  resetAt(): number | undefined;
  /** The session's turn after a reset: sessions of one account do not begin at the same moment. Undefined: ask again later. */
  turnAfter(resetAt: number): number | undefined;
  mark(): TranscriptMark;
  /** Whether the transcript has the prompt behind the mark; undefined if no transcript is known. */
  hasReceipt(mark: TranscriptMark, text: string): boolean | undefined;
  type(prompt: StoredPrompt): Promise<Typed>;
  pause(ms: number): Promise<void>;
  onChange(): void;
}

/** `typed`: the program may have got a part of it. */
export type Typed = { taken: Receipt["receipt"] | "typed" } | { refused: string; typed: boolean };

export const UNKNOWN = "It is unknown whether it arrived.";

const MAX_ATTEMPTS = 5;
const RETRY_MS = 30_000;

/** Agents write a prompt to their transcript within a second; on a busy machine later. */
const RECEIPT_MS = 15_000;
const SETTLE_MS = 3000;
const POLL_MS = 200;

/** A held prompt that was written later than this is another one with the same text. */
const LATE_MS = 10 * 60_000;

/** The clock may be set. */
const MAX_LOOK_MS = 60_000;
const MAX_NOTE = 300;

export class PromptQueue {
  readonly #port: QueuePort;
  #queue: StoredQueue;
  #looking: Promise<void> | undefined;
  #notBefore = 0;
  /** Why what is due waits. */
  #note: string | undefined;

  constructor(port: QueuePort, queue: StoredQueue) {
    this.#port = port;
    this.#queue = queue;
  }

  get stored(): StoredQueue {
    return this.#queue;
  }

  /** Why a prompt waits, besides for its time. */
  noteOf(prompt: StoredPrompt): string | undefined {
    const now = this.#port.now();
    const due = dueAt(prompt, now);
    if (due === undefined) return "When the limit resets is not known yet. See amux limits.";
    return due <= now ? this.#note : undefined;
  }

  /** Saved first: a change that cannot be saved is refused. */
  change(change: (queue: StoredQueue) => StoredQueue): void {
    this.#save(change(this.#queue));
  }

  /** Delivers one prompt if one is due and the session is ready. Concurrent calls share one look. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** When to look again; 0 if a due prompt is blocked, undefined if nothing waits. */
  get nextLookMs(): number | undefined {
    const now = this.#port.now();
    const dues = this.#waiting().map((prompt) => dueAt(prompt, now) ?? now + MAX_LOOK_MS);
    if (dues.length === 0) return undefined;
    const left = Math.max(Math.min(...dues), this.#isTooSoon(now) ? this.#notBefore : 0) - now;
    return Math.max(0, Math.min(left, MAX_LOOK_MS));
  }

  /** After a failed try. A clock that was set back does not count. */
  #isTooSoon(now: number): boolean {
    return now < this.#notBefore && this.#notBefore - now <= RETRY_MS;
  }

  async #look(): Promise<void> {
    await this.#settle();
    this.#findResets();
    const now = this.#port.now();
    const mended = withMendedSlots(this.#queue.items, now);
    if (mended !== undefined) this.#save({ ...this.#queue, items: mended });
    const due = this.#waiting()
      .map((prompt) => ({ prompt, at: dueAt(prompt, now) ?? Number.POSITIVE_INFINITY }))
      .filter(({ at }) => at <= now)
      .toSorted((a, b) => a.at - b.at);
    const next = due[0]?.prompt;
    this.#note = next && this.#port.obstacle(next);
    if (next === undefined || this.#note !== undefined || this.#isTooSoon(now)) return;
    await this.#deliver(next);
  }

  async #deliver(prompt: StoredPrompt): Promise<void> {
    const port = this.#port;
    const mark = port.mark();
    const { note: _, ...rest } = prompt;
    this.#put({ ...rest, ...takenSlot(prompt, port.now()), state: "delivering", mark });
    const typed = await port.type(prompt);
    if ("refused" in typed) {
      if (typed.typed) this.#hold(prompt.id, typed.refused);
      else this.#putBack(prompt, typed.refused);
      return;
    }
    const receipt = await this.#receiptOf(mark, prompt.text, typed.taken);
    if (receipt === undefined) this.#hold(prompt.id, UNKNOWN);
    else this.#delivered(prompt.id, receipt);
  }

  async #receiptOf(
    mark: TranscriptMark,
    text: string,
    taken: Receipt["receipt"] | "typed",
  ): Promise<PromptReceipt | undefined> {
    if (taken === "typed") return "typed";
    if (await this.#isWritten(mark, text, RECEIPT_MS)) return "transcript";
    return taken === "not_taken" ? undefined : "screen";
  }

  async #isWritten(mark: TranscriptMark, text: string, withinMs: number): Promise<boolean> {
    for (let waited = 0; ; waited += POLL_MS) {
      const isThere = this.#port.hasReceipt(mark, text);
      if (isThere === true) return true;
      if (isThere === undefined || waited >= withinMs) return false;
      await this.#port.pause(POLL_MS);
    }
  }

  /** What an earlier process, or a failure to save, left in the middle. A held one may have been written late. */
  async #settle(): Promise<void> {
    for (const { id } of this.#queue.items) {
      // Read anew: the user may change or remove it while another one is looked for.
      const { state, text, mark } = this.#queue.items.find((item) => item.id === id) ?? {};
      if (mark === undefined || text === undefined) continue;
      const isRecent = Math.abs(this.#port.now() - mark.at) < LATE_MS;
      if (state === "held" && isRecent && this.#port.hasReceipt(mark, text) === true) this.#delivered(id, "transcript");
      if (state !== "delivering") continue;
      if (await this.#isWritten(mark, text, SETTLE_MS)) this.#delivered(id, "transcript");
      else this.#hold(id, UNKNOWN);
    }
  }

  #findResets(): void {
    for (const prompt of this.#waiting()) {
      if (prompt.when !== "reset" || prompt.due_at !== undefined) continue;
      const resetAt = this.#port.resetAt();
      const turn = resetAt === undefined ? undefined : this.#port.turnAfter(resetAt);
      if (turn === undefined) return;
      this.#put({ ...prompt, due_at: new Date(turn).toISOString() });
    }
  }

  #waiting(): StoredPrompt[] {
    const { paused, items } = this.#queue;
    return paused === undefined ? items.filter((item) => item.state === "queued" && item.paused !== true) : [];
  }

  #delivered(id: string, receipt: PromptReceipt): void {
    const delivered_at = new Date(this.#port.now()).toISOString();
    this.#replace(id, ({ text, when, created_at, slot, paused }) => ({
      id,
      text,
      when,
      state: storedWhen(when).kind === "every" ? "queued" : "delivered",
      ...optional("paused", paused),
      created_at,
      ...optional("slot", slot),
      delivered_at,
      receipt,
    }));
  }

  #hold(id: string, note: string): void {
    const held_at = new Date(this.#port.now()).toISOString();
    this.#replace(id, (prompt) => ({ ...prompt, state: "held", held_at, note: truncate(note, MAX_NOTE) }));
  }

  /** Nothing was typed. */
  #putBack(prompt: StoredPrompt, reason: string): void {
    const attempts = (prompt.attempts ?? 0) + 1;
    this.#notBefore = this.#port.now() + RETRY_MS;
    this.#note = reason;
    this.#put({ ...prompt, attempts });
    if (attempts >= MAX_ATTEMPTS) this.#hold(prompt.id, `Not sent after ${attempts} tries. ${reason}`);
  }

  #put(prompt: StoredPrompt): void {
    this.#replace(prompt.id, () => prompt);
  }

  #replace(id: string, change: (prompt: StoredPrompt) => StoredPrompt): void {
    this.#save(replaced(this.#queue, id, change));
  }

  #save(queue: StoredQueue): void {
    this.#port.save(queue);
    this.#queue = queue;
    this.#port.onChange();
  }
}

/** Taken before anything is typed: never twice. */
function takenSlot({ when, slot, created_at }: StoredPrompt, now: number): { slot?: string } {
  const parsed = storedWhen(when);
  if (parsed.kind !== "every") return {};
  return { slot: slotOf(parsed, { taken: slot, since: Date.parse(created_at) }, now).day };
}
