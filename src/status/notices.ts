/**
 * Decides which notifications to send and withdraw as the attention list changes. Pure. Short-lived ones are never sent, many are
 * combined, answered ones are withdrawn, none is sent twice.
 */
import type { AttentionItem, Reason } from "./attention.ts";

export interface Notice {
  id: string;
  title: string;
  body: string;
  items: AttentionItem[];
}

export type NoticeAction = { kind: "send"; notice: Notice } | { kind: "withdraw"; notice: Notice };

/** What a later process needs, so that it sends nothing twice and forgets nothing. */
export interface NoticeMemory {
  /** Sent and not withdrawn. */
  open: readonly Notice[];
  /** Seen, or waiting; never sent without a time. */
  unsent: readonly { key: string; reason: Reason; dueAt?: number | undefined }[];
}

export interface NoticeRules {
  graceMs: number;
  reasons: ReadonlySet<Reason>;
}

/** This many or more are combined into one. */
const TOGETHER = 3;
/** A question that somebody saw and left is asked again, elsewhere. */
const AGAIN_AFTER_MS = 5 * 60_000;
/** Longer than a restart of the daemon takes. */
const RESTART_MS = 60_000;

interface Known {
  reason: Reason;
  /** Infinite if it is never sent. */
  dueAt: number;
  notice?: Notice;
}

export class Notices {
  readonly #rules: NoticeRules;
  readonly #isRestart: boolean;
  readonly #known: Map<string, Known>;
  #isFirst = true;
  #sent = 0;

  /** `before`: what an earlier process left; undefined if none is known of. */
  constructor(rules: NoticeRules, before?: NoticeMemory) {
    this.#rules = rules;
    this.#isRestart = before !== undefined;
    this.#known = knownBefore(before ?? { open: [], unsent: [] });
    for (const { id } of before?.open ?? [])
      this.#sent = Math.max(this.#sent, Number(/^amux-(\d+)$/.exec(id)?.[1] ?? 0));
  }

  /**
   * Entries at the first call existed before, and are not sent; after a restart those are that came just before or during it.
   * `lookedUntil` is a time until which the entry counts as looked at.
   */
  update(
    queue: readonly AttentionItem[],
    now: number,
    lookedUntil: (item: AttentionItem) => number = () => 0,
  ): NoticeAction[] {
    const { graceMs, reasons } = this.#rules;
    const items = new Map(queue.filter(({ reason }) => reasons.has(reason)).map((item) => [keyOf(item), item]));
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const known = this.#known;
    const actions = this.#withdrawals(known, items);
    for (const key of known.keys()) if (!items.has(key)) known.delete(key);
    const oldUntil = this.#isRestart ? now - graceMs - RESTART_MS : Number.POSITIVE_INFINITY;
    for (const [key, { reason, since }] of items) {
      const isOld = isFirst && since <= oldUntil;
      if (!known.has(key)) known.set(key, { reason, dueAt: isOld ? Number.POSITIVE_INFINITY : now + graceMs });
    }
    const due = [...items].filter(([key, item]) => {
      const { dueAt, notice } = known.get(key)!;
      if (notice !== undefined || now < dueAt) return false;
      const until = lookedUntil(item);
      if (until > now) known.set(key, { reason: item.reason, dueAt: until });
      return until <= now;
    });
    const groups = due.length >= TOGETHER ? [due] : due.map((each) => [each]);
    for (const group of groups) {
      const notice = noticeOf(
        `amux-${++this.#sent}`,
        group.map(([, item]) => item),
      );
      for (const [key] of group) known.set(key, { ...known.get(key)!, notice });
      actions.push({ kind: "send", notice });
    }
    return actions;
  }

  /** Somebody looks: what was sent is withdrawn, and nothing of the list is sent, but questions that stay unanswered. */
  seen(now: number): NoticeAction[] {
    const sent = this.open;
    for (const [key, { reason }] of this.#known) {
      const isQuestion = reason === "permission" || reason === "question";
      this.#known.set(key, { reason, dueAt: isQuestion ? now + AGAIN_AFTER_MS : Number.POSITIVE_INFINITY });
    }
    return sent.map((notice) => ({ kind: "withdraw", notice }));
  }

  /** Sent and not withdrawn. */
  get open(): Notice[] {
    return [...new Set([...this.#known.values()].flatMap(({ notice }) => notice ?? []))];
  }

  get memory(): NoticeMemory {
    const unsent = [...this.#known].filter(([, { notice }]) => notice === undefined);
    return {
      open: this.open,
      unsent: unsent.map(([key, { reason, dueAt }]) => ({ key, reason, ...(Number.isFinite(dueAt) ? { dueAt } : {}) })),
    };
  }

  /** When something may be due without a change of the list; undefined if nothing waits. */
  get nextAt(): number | undefined {
    const waiting = [...this.#known.values()].filter(
      ({ dueAt, notice }) => notice === undefined && Number.isFinite(dueAt),
    );
    return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ dueAt }) => dueAt));
  }

  /** A notification is withdrawn when its last entry is over. */
  #withdrawals(known: ReadonlyMap<string, { notice?: Notice }>, items: ReadonlyMap<string, unknown>): NoticeAction[] {
    const open = new Set([...known].flatMap(([key, { notice }]) => (items.has(key) && notice ? [notice] : [])));
    const over = new Set([...known].flatMap(([, { notice }]) => (notice && !open.has(notice) ? [notice] : [])));
    return [...over].map((notice) => ({ kind: "withdraw", notice }));
  }
}

function knownBefore({ open, unsent }: NoticeMemory): Map<string, Known> {
  const never = Number.POSITIVE_INFINITY;
  return new Map([
    ...unsent.map(({ key, reason, dueAt = never }): [string, Known] => [key, { reason, dueAt }]),
    ...open.flatMap((notice) =>
      notice.items.map((item): [string, Known] => [keyOf(item), { reason: item.reason, dueAt: never, notice }]),
    ),
  ]);
}

function keyOf({ ref, agent, member, reason, since }: AttentionItem): string {
  return JSON.stringify([ref, agent, member, reason, since]);
}

const WORDS: Readonly<Record<Reason, string>> = {
  permission: "needs your permission",
  question: "has a question",
  error: "has failed",
  limit: "has reached a usage limit",
  budget: "has reached its warning",
  finished: "has finished",
  queue: "has a held prompt",
  conflict: "edit the same file",
};

export function noticeOf(id: string, items: AttentionItem[]): Notice {
  const [only] = items;
  if (items.length === 1) return { id, title: `${only!.name} ${WORDS[only!.reason]}`, body: only!.text ?? "", items };
  const body = items.map(({ name, reason }) => `${name} ${WORDS[reason]}`).join("\n");
  return { id, title: `${items.length} sessions wait for you`, body, items };
}
