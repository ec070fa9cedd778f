/** A session's queue of prompts: looks when the session's state changes, when a prompt is due, and when the user changes it. */
import { isUrgent } from "../core/state.ts";
import type { StoredPrompt } from "../core/queue.ts";
import { limitRefusal } from "../core/limit-refusal.ts";
import { nextReset, type NextReset } from "../limits/next-reset.ts";
import { momentAt } from "../lib/values/zone-moment.ts";
import { errorText } from "../lib/text/error-text.ts";
import { optional } from "../lib/values/optional.ts";
import type { PromptQueueAnswer, QueueAct } from "../protocol/queue.ts";
import { afterAct, countsOf, shownQueue } from "../status/queue/changes.ts";
import { PromptQueue, type QueuePort, type Typed } from "../status/queue/prompt-queue.ts";
import { readQueue, writeQueue } from "../status/queue/queue-file.ts";
import { hasReceipt, transcriptMark } from "../status/queue/receipt.ts";
import { takeTurn } from "../status/queue/reset-turns.ts";
import { pause } from "../status/terminal-operator.ts";
import { BEGINS_WITHIN_MS } from "./draft.ts";
import type { MessageDelivery } from "./message-delivery.ts";
import type { Session } from "./session.ts";

/** Input lines of agents and shells accept pastes; programs that wait for something else do not. */
const BRACKETED_PASTE = 2004;

/** Somebody types. */
const TYPING_MS = 3000;

/** Hooks and titles arrive one after the other. */
const LOOK_AFTER_MS = 300;

const BLOCKED_LOOK_MS = 1000;
const ANNOUNCED_LOOK_MS = 10_000;

export interface SessionPromptsParts {
  session: Session;
  delivery: MessageDelivery;
  /** amux's own directory. */
  home: string;
  path: string;
  onFailure(error: unknown): void;
}

export class SessionPrompts {
  private readonly parts: SessionPromptsParts;
  private readonly queue: PromptQueue;
  private timer: NodeJS.Timeout | undefined;
  private typedAt = 0;
  private failure: string | undefined;

  constructor(parts: SessionPromptsParts) {
    this.parts = parts;
    const { session, path } = parts;
    const { paused, signal_at: _, ...stored } = readQueue(path);
    this.queue = new PromptQueue(this.port(), paused === "user" ? { ...stored, paused } : stored);
    if (paused === "killed") this.queue.change((queue) => queue);
    if (stored.items.length > 0) this.tell();
    session.hub.subscribe(({ name }) => {
      if (name === "state" || name === "hook") this.lookIn(LOOK_AFTER_MS);
    });
    this.lookIn(LOOK_AFTER_MS);
  }

  act(act: QueueAct): PromptQueueAnswer {
    if (act.kind !== "list") {
      this.queue.change((queue) => afterAct(queue, act, Date.now()));
      this.lookIn(0);
    }
    const noteOf = (prompt: StoredPrompt): string | undefined => this.failure ?? this.queue.noteOf(prompt);
    return shownQueue(this.parts.session.spec.id, this.queue.stored, Date.now(), noteOf);
  }

  /** The user ended the session: the daemon does not wake it again for its queue. `signalAt`: or the machine shuts down. */
  killed(signalAt?: number): void {
    const { items, paused } = this.queue.stored;
    if (items.length === 0 || paused !== undefined) return;
    const signal_at = signalAt === undefined ? undefined : new Date(signalAt).toISOString();
    try {
      this.queue.change((queue) => ({ ...queue, paused: "killed", ...optional("signal_at", signal_at) }));
    } catch (error) {
      // A full disk must not keep it alive.
      this.parts.onFailure(error);
    }
  }

  close(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private lookIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), ms).unref();
  }

  private async look(): Promise<void> {
    if (!this.parts.session.alive) return;
    try {
      await this.queue.look();
      this.failure = undefined;
    } catch (error) {
      this.failure = `Its state cannot be saved: ${errorText(error)}`;
      this.parts.onFailure(error);
    }
    const next = this.queue.nextLookMs;
    if (next !== undefined && this.parts.session.alive) this.lookIn(next === 0 ? this.blockedMs : next);
  }

  /** The end of a turn or a question is announced; a draft or a changing screen is not. */
  private get blockedMs(): number {
    const state = this.parts.session.state.verdict?.state ?? "";
    return state === "working" || isUrgent(state) ? ANNOUNCED_LOOK_MS : BLOCKED_LOOK_MS;
  }

  private tell(): void {
    this.parts.session.state.setQueue(countsOf(this.queue.stored));
  }

  private port(): QueuePort {
    const { session, home, path } = this.parts;
    const { state } = session;
    return {
      now: () => Date.now(),
      save: (queue) => writeQueue(path, queue),
      obstacle: (prompt) => this.obstacle(prompt),
      resetAt: () => this.resetAt(),
      turnAfter: (resetAt) => takeTurn(home, this.nextReset().of, resetAt),
      mark: () => transcriptMark(state.transcript, Date.now()),
      hasReceipt: (mark, text) => {
        if ((mark.path ?? state.transcript) === undefined) return undefined;
        const isWritten = hasReceipt(mark, state.transcript, text);
        if (isWritten) session.main?.draft.taken();
        return isWritten;
      },
      type: (prompt) => this.type(prompt),
      pause,
      onChange: () => this.tell(),
    };
  }

  private get agent(): string {
    const { state, spec } = this.parts.session;
    return state.agent ?? spec.kind;
  }

  private async type(prompt: StoredPrompt): Promise<Typed> {
    const { session, delivery } = this.parts;
    const typed = await delivery.queued(prompt.text, () => this.obstacle(prompt));
    if (!("refused" in typed) || typed.typed) this.typedAt = Date.now();
    const isLeft = "refused" in typed ? typed.typed : typed.taken === "not_taken";
    if (isLeft) session.main?.draft.left();
    // A program that has ended shows nothing: only its transcript knows.
    const isOver = session.main?.exit !== undefined;
    return isOver && "taken" in typed && typed.taken !== "typed" ? { taken: "not_taken" } : typed;
  }

  private obstacle(prompt: StoredPrompt): string | undefined {
    const { main: terminal, state } = this.parts.session;
    if (terminal === undefined || terminal.exit !== undefined) return "The program has ended.";
    const { verdict } = state;
    if (verdict !== undefined && isUrgent(verdict.state)) return "The session asks something. See amux attention.";
    if (verdict?.state === "working") return "The session is working.";
    if (verdict?.state === "error" && prompt.when !== "reset") return "The session's last turn failed.";
    const now = Date.now();
    const { lastInputAt = 0, draft } = terminal;
    const isOwn = lastInputAt <= this.typedAt && this.typedAt <= now;
    if (!isOwn && isWithin(TYPING_MS, lastInputAt, now)) return "Somebody types.";
    if (draft.isOpen) return "Its input line holds an unsent draft.";
    const hasEnded = verdict !== undefined && Date.parse(verdict.since) > this.typedAt;
    if (isWithin(BEGINS_WITHIN_MS, this.typedAt, now) && !hasEnded) return "The prompt before it was just sent.";
    if (!terminal.isCalm) return "Its screen changes.";
    // An input line that accepts pastes is what an agent of which nothing is known shows when it waits, and a shell too.
    const takesPastes = terminal.isOn(BRACKETED_PASTE);
    if (state.hasAgent) return verdict === undefined && !takesPastes ? "The agent is starting." : undefined;
    return takesPastes && !terminal.isFullScreen ? undefined : "Its program shows no input line for prompts.";
  }

  /** From the agent's refusal, otherwise the next reset that its status line named. */
  private resetAt(): number | undefined {
    const { verdict } = this.parts.session.state;
    if (verdict?.state === "error") {
      const refusal = limitRefusal(verdict.message ?? verdict.label ?? "", Date.parse(verdict.since), momentAt);
      if (refusal?.resetsAt !== undefined) return refusal.resetsAt;
    }
    return this.nextReset().at;
  }

  private nextReset(): NextReset {
    return nextReset(this.parts.home, this.agent, this.parts.session.state.resumeKey, Date.now());
  }
}

/** A moment that is ahead is from before the clock was set back. */
function isWithin(ms: number, at: number, now: number): boolean {
  return at <= now && now - at < ms;
}
