/**
 * One pass over a thread that keeps no messages: head, counts, usage, and rewound turns. Threads from before segments are
 * rewound in place: `thread_rolled_back` cancels the last turns.
 */
import type { UsageRecord } from "../adapter.ts";
import { isKnownType, KIND } from "./format.ts";
import { turnsTakenBack } from "./format-items.ts";
import { reviewText } from "./notice-text.ts";
import { promptOfItem, promptText, type PromptSource } from "./prompt-text.ts";
import { HeadFacts } from "./thread-head.ts";
import type { Entry } from "./thread-stream.ts";
import { Transcript, type Placed } from "./transcript.ts";

interface Turn {
  /** Of the prompt's record. */
  number: number;
  messagesBefore: number;
  answered: boolean;
}

export class ThreadScan {
  readonly facts = new HeadFacts();
  readonly usage: UsageRecord[] = [];
  readonly prompts: PromptSource;
  /** Number of records with a known type. */
  recordCount = 0;
  messageCount = 0;
  /** There are messages, even if all were rewound. */
  hasConversation = false;
  readonly #transcript: Transcript;
  readonly #turns: Turn[] = [];
  readonly #cancelled: { from: number; to: number }[] = [];
  #promptCount = 0;
  #promptItems = 0;

  constructor(prompts: PromptSource) {
    this.prompts = prompts;
    this.#transcript = new Transcript(prompts);
  }

  /** User messages that were answered. */
  get turnCount(): number {
    return this.#turns.filter((turn) => turn.answered).length;
  }

  /** Some programs that write rollouts omit the events; then the items are the prompts. */
  get needsItems(): boolean {
    return this.prompts === "events" && this.#promptCount === 0 && this.#promptItems > 0;
  }

  take(entry: Entry): void {
    const { record } = entry;
    if (isKnownType(record.type)) this.recordCount++;
    this.facts.take(entry);
    if (entry.ownFile && entry.usage) this.usage.push(entry.usage);
    this.takePrompt(entry);
    if (!entry.shown) return;
    this.#count(this.#transcript.take(entry));
    if (record.type === KIND.rolledBack) this.#cancel(turnsTakenBack(record.payload), entry.number);
  }

  /** Counts what the last records left open. */
  end(): void {
    this.#count(this.#transcript.release());
  }

  /** Whether an entry is part of the current conversation. */
  isShown(entry: Entry): boolean {
    return entry.shown && !this.#cancelled.some(({ from, to }) => entry.number >= from && entry.number < to);
  }

  /** For a title. */
  takePrompt(entry: Entry): void {
    const prompt = promptText(entry, this.prompts);
    if (prompt !== undefined) this.#promptCount++;
    else if (this.#promptCount === 0 && this.#promptItems === 0 && isPromptItem(entry)) this.#promptItems++;
    // A review may start without a prompt; its subject replaces it.
    const title = prompt ?? reviewText(entry);
    if (title !== undefined) this.facts.takePrompt(title, entry.inherited);
  }

  #count(placed: readonly Placed[]): void {
    for (const { message, number } of placed) {
      if (message.role === "user") {
        this.#turns.push({ number, messagesBefore: this.messageCount, answered: false });
      } else if (message.role === "assistant") {
        const turn = this.#turns.at(-1);
        if (turn) turn.answered = true;
        this.facts.takeReply(message, number);
      }
      this.messageCount++;
      this.hasConversation = true;
    }
  }

  #cancel(turns: number, at: number): void {
    this.#count(this.#transcript.release());
    const [first] = turns > 0 ? this.#turns.splice(Math.max(0, this.#turns.length - turns)) : [];
    if (first === undefined) return;
    this.#cancelled.push({ from: first.number, to: at });
    this.messageCount = first.messagesBefore;
  }
}

function isPromptItem({ record }: Entry): boolean {
  return record.type === KIND.message && record.role === "user" && promptOfItem(record.payload) !== undefined;
}
