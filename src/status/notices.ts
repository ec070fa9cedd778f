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

export interface NoticeRules {
  graceMs: number;
  reasons: ReadonlySet<Reason>;
}

/** This many or more are combined into one. */
const TOGETHER = 3;

export class Notices {
  readonly #rules: NoticeRules;
  #known: Map<string, { seenAt: number; notice?: Notice }> | undefined;
  #sent = 0;

  constructor(rules: NoticeRules) {
    this.#rules = rules;
  }

  /** Entries at the first call existed before, and are not sent. */
  update(queue: readonly AttentionItem[], now: number): NoticeAction[] {
    const items = new Map(
      queue.filter(({ reason }) => this.#rules.reasons.has(reason)).map((item) => [keyOf(item), item]),
    );
    if (this.#known === undefined) {
      this.#known = new Map([...items.keys()].map((key) => [key, { seenAt: Number.POSITIVE_INFINITY }]));
      return [];
    }
    const known = this.#known;
    const actions = this.#withdrawals(known, items);
    for (const key of known.keys()) if (!items.has(key)) known.delete(key);
    for (const key of items.keys()) if (!known.has(key)) known.set(key, { seenAt: now });
    const due = [...items].filter(([key]) => {
      const { seenAt, notice } = known.get(key)!;
      return notice === undefined && now - seenAt >= this.#rules.graceMs;
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

  /** Somebody looks: nothing of the list is sent later, and what was sent is withdrawn. */
  seen(): NoticeAction[] {
    const known = this.#known ?? new Map<string, { seenAt: number; notice?: Notice }>();
    const sent = new Set([...known.values()].flatMap(({ notice }) => notice ?? []));
    for (const key of known.keys()) known.set(key, { seenAt: Number.POSITIVE_INFINITY });
    return [...sent].map((notice) => ({ kind: "withdraw", notice }));
  }

  /** When something may be due without a change of the list; undefined if nothing waits. */
  get nextAt(): number | undefined {
    const waiting = [...(this.#known?.values() ?? [])].filter(
      ({ seenAt, notice }) => notice === undefined && Number.isFinite(seenAt),
    );
    return waiting.length === 0 ? undefined : Math.min(...waiting.map(({ seenAt }) => seenAt)) + this.#rules.graceMs;
  }

  /** A notification is withdrawn when its last entry is over. */
  #withdrawals(known: ReadonlyMap<string, { notice?: Notice }>, items: ReadonlyMap<string, unknown>): NoticeAction[] {
    const open = new Set([...known].flatMap(([key, { notice }]) => (items.has(key) && notice ? [notice] : [])));
    const over = new Set([...known].flatMap(([, { notice }]) => (notice && !open.has(notice) ? [notice] : [])));
    return [...over].map((notice) => ({ kind: "withdraw", notice }));
  }
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

function noticeOf(id: string, items: AttentionItem[]): Notice {
  const [only] = items;
  if (items.length === 1) return { id, title: `${only!.name} ${WORDS[only!.reason]}`, body: only!.text ?? "", items };
  const body = items.map(({ name, reason }) => `${name} ${WORDS[reason]}`).join("\n");
  return { id, title: `${items.length} sessions wait for you`, body, items };
}
