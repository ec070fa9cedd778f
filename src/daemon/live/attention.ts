/**
 * The attention list. A runner's full metadata is fetched again when it reports a change, so that the state is derived from all
 * evidence by the common rules.
 */
import type { BudgetWarning } from "../../core/budget-warning.ts";
import type { EditConflict } from "../../core/edit-conflict.ts";
import type { HeldPrompt } from "../../core/held-prompt.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import type { RunnerEvent, SessionMeta } from "../../protocol/runner-api.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import {
  attentionQueue,
  budgetItem,
  byUrgency,
  conflictItem,
  queueItem,
  type AttentionItem as Waiting,
} from "../../status/attention.ts";
import type { Notifier } from "../../status/notifier.ts";
import { withoutSnoozed, type SnoozeFile } from "../../status/snooze.ts";
import { viewOfRunner, viewOfSession } from "../../status/runner-view.ts";
import type { SessionView } from "../../status/session-view.ts";
import { isLost } from "./runner-updates.ts";
import type { SessionStore } from "../store/store.ts";

/** Hooks come in bursts; the list need not follow each of them. */
const ASK_AFTER_MS = 100;

/** Whether it may change the state. Titles change often and do not matter here. */
function isNews({ name, data }: RunnerEvent): boolean {
  return (
    name === "state" ||
    name === "report" ||
    name === "status" ||
    name === "exit" ||
    (name === "meta" && data.unread !== undefined)
  );
}

/** As in the page: a terminal left open is not looked at. */
const LOOKING_MS = 60_000;

/** Somebody typed in a terminal that is attached. */
function lookedUntil({ viewers = 0, last_typed_at = "" }: Partial<SessionMeta> = {}): number {
  return viewers === 0 ? 0 : (Date.parse(last_typed_at) || 0) + LOOKING_MS;
}

/** Snoozes ending, and files changed by other processes, are not reported by any runner. */
const LOOK_EVERY_MS = 5000;

export interface AttentionParts {
  store: SessionStore;
  ask: (id: string) => Promise<SessionMeta | undefined>;
  /** The stored metadata of a runner that no longer answers. */
  stored: (id: string) => SessionMeta | undefined;
  onChange: () => void;
  snoozes: SnoozeFile;
  /** Sessions outside of amux. */
  others: () => Promise<SessionView[]>;
  /** Budgets that warn. */
  budgets: (now: number) => BudgetWarning[];
  /** Sessions that edit the same file. */
  conflicts: () => readonly EditConflict[];
  /** Prompts that are not sent by themselves. */
  held: () => HeldPrompt[];
  /** Waiting sessions of other machines. */
  remote: () => Waiting[];
  /** The local part of the list changed. */
  onOwnChange: () => void;
  notifier: Notifier;
}

export class Attention {
  readonly #store: SessionStore;
  readonly #ask: (id: string) => Promise<SessionMeta | undefined>;
  readonly #onChange: () => void;
  readonly #snoozes: SnoozeFile;
  readonly #notifier: Notifier;
  readonly #accounts = new Map<string, SessionMeta>();
  readonly #asking = new Map<string, NodeJS.Timeout>();
  readonly #looking: NodeJS.Timeout;
  readonly #others: () => Promise<SessionView[]>;
  readonly #budgets: (now: number) => BudgetWarning[];
  readonly #conflicts: () => readonly EditConflict[];
  readonly #held: () => HeldPrompt[];
  readonly #remote: () => Waiting[];
  readonly #onOwnChange: () => void;
  #foreign: SessionView[] = [];
  #items: AttentionItem[] = [];
  /** Milliseconds since the epoch. */
  #begunAt: number | undefined;
  #isJudging = false;

  constructor(parts: AttentionParts) {
    const { store, ask, stored, onChange, onOwnChange, snoozes, others, budgets, conflicts, held, remote, notifier } =
      parts;
    this.#store = store;
    this.#ask = ask;
    this.#onChange = onChange;
    this.#snoozes = snoozes;
    this.#others = others;
    this.#budgets = budgets;
    this.#conflicts = conflicts;
    this.#held = held;
    this.#remote = remote;
    this.#onOwnChange = onOwnChange;
    this.#notifier = notifier;
    this.#looking = setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
    store.onChange(({ id, before, after }) => {
      const hasDied = before?.alive === true && after?.alive === false;
      const last = hasDied ? stored(id) : undefined;
      if (last !== undefined) this.#accounts.set(id, last);
      const hasHeld = before?.queue_held !== after?.queue_held;
      if (hasDied || hasHeld || (after === undefined && this.#accounts.delete(id))) this.#judgeSoon();
    });
  }

  /** Everything that waits now has waited before; only later changes are notified. */
  async begin(): Promise<void> {
    await this.#look();
    this.#begunAt = Date.now();
    this.#judge();
  }

  /** Most urgent first. */
  list(): AttentionItem[] {
    return this.#items;
  }

  /** This machine's part. */
  ownList(): AttentionItem[] {
    return this.#items.filter(({ session_id, place }) => place !== undefined || !session_id.includes("@"));
  }

  /** Other machines' lists, or conflicts, may have changed. */
  othersChanged(): void {
    this.#judge();
  }

  /** The view of every running session. */
  views(now = Date.now()): SessionView[] {
    const alive = [...this.#accounts].filter(([id]) => this.#store.get(id)?.alive === true);
    return [...alive.map(([, meta]) => viewOfRunner(meta, now)), ...this.#foreign];
  }

  /** Sessions whose process vanished. */
  #lost(now: number): SessionView[] {
    const lost = [...this.#accounts].filter(([id, meta]) => meta.alive && isLost(this.#store.record(id)));
    return lost.map(([, meta]) => viewOfSession({ meta, alive: false }, now));
  }

  /** Hides the session for this long, unless it asks again; no time ends the snooze. */
  snooze(id: string, seconds: number | undefined): void {
    const now = Date.now();
    this.#snoozes.set(id, seconds === undefined ? undefined : now + seconds * 1000, now);
    this.#judge();
  }

  /** Somebody looks at the list now. */
  seen(): void {
    this.#notifier.seen();
  }

  arrived(id: string, meta: SessionMeta): void {
    this.#accounts.set(id, meta);
    this.#judgeSoon();
  }

  heard(id: string, event: RunnerEvent): void {
    if (!isNews(event) || this.#asking.has(id)) return;
    this.#asking.set(
      id,
      setTimeout(() => void this.#askAgain(id), ASK_AFTER_MS),
    );
  }

  close(): void {
    clearInterval(this.#looking);
    for (const timer of this.#asking.values()) clearTimeout(timer);
    void this.#notifier.close();
  }

  async #askAgain(id: string): Promise<void> {
    this.#asking.delete(id);
    const meta = await this.#ask(id);
    if (meta !== undefined) this.#accounts.set(id, meta);
    this.#judgeSoon();
  }

  /** Before something is notified: somebody may type in its terminal by now. */
  async #lookAgain(queue: readonly Waiting[]): Promise<void> {
    const ids = new Set(queue.map(({ ref }) => ref).filter((ref) => this.#store.get(ref)?.alive === true));
    await Promise.all(
      [...ids].map(async (id) => {
        const meta = await this.#ask(id);
        if (meta !== undefined) this.#accounts.set(id, meta);
      }),
    );
    this.#judge();
  }

  async #look(): Promise<void> {
    this.#foreign = await this.#others();
    this.#judge();
  }

  /** Once per turn of the event loop: at startup all sessions arrive together. */
  #judgeSoon(): void {
    if (this.#isJudging) return;
    this.#isJudging = true;
    setImmediate(() => {
      this.#isJudging = false;
      this.#judge();
    });
  }

  #judge(): void {
    const now = Date.now();
    const own = attentionQueue([...this.views(now), ...this.#lost(now)], now);
    const titleOf = (id: string): string | undefined => this.#store.get(id)?.title;
    const conflicts = this.#conflicts().map((conflict) => conflictItem(conflict, titleOf));
    const held = this.#held().map((prompt) => queueItem(prompt, titleOf));
    const budgets = this.#budgets(now).map(budgetItem);
    const all = [...own, ...conflicts, ...held, ...budgets, ...this.#remote()].sort(byUrgency);
    const queue = withoutSnoozed(all, this.#snoozes.read(now), now);
    const begunAt = this.#begunAt;
    // Other machines connect later; what waited there before is not notified again.
    if (begunAt !== undefined)
      this.#notifier.update(
        queue.filter(({ ref, since }) => !ref.includes("@") || since > begunAt),
        { onDue: () => void this.#lookAgain(queue), lookedUntil: ({ ref }) => lookedUntil(this.#accounts.get(ref)) },
      );
    const items = queue.map(
      ({
        ref,
        name,
        place,
        agent,
        member,
        reason,
        text,
        since,
        resetsAt,
        cwd,
        source,
        options,
        several,
        asked,
        sessions,
      }) => ({
        session_id: ref,
        ...(place === "tmux" ? { place } : {}),
        ...optional("peer", place === "tmux" ? undefined : splitRemoteId(ref)?.peer),
        title: this.#store.get(ref)?.title ?? name,
        agent,
        ...optional("member", member),
        reason,
        ...optional("text", text),
        since: new Date(since).toISOString(),
        ...optional("resets_at", resetsAt === undefined ? undefined : new Date(resetsAt).toISOString()),
        cwd,
        ...optional("source", source),
        ...optional("options", options && [...options]),
        ...optional("several", several),
        ...optional("asked", asked),
        ...optional("sessions", sessions && [...sessions]),
      }),
    );
    if (JSON.stringify(items) === JSON.stringify(this.#items)) return;
    const before = JSON.stringify(this.ownList());
    this.#items = items;
    this.#onChange();
    if (JSON.stringify(this.ownList()) !== before) this.#onOwnChange();
  }
}
