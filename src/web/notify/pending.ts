/**
 * Decides which notifications are due. News is delayed, and dropped if the user opens the session meanwhile. Three or
 * more that are due together become one. Outdated notifications are withdrawn.
 */
import type { AttentionItem } from "../../protocol/daemon-api.ts";

export const GRACE_MS = 5000;
const TOGETHER = 3;

export interface Word {
  /** One notification per tag; a new one replaces the old one. */
  tag: string;
  title: string;
  body: string;
  path: string;
}

export interface Effects {
  show(word: Word): void;
  withdraw(tag: string): void;
}

const SAID: Record<AttentionItem["reason"], string> = {
  permission: "wants permission",
  question: "asks",
  error: "failed",
  limit: "reached a usage limit",
  budget: "has reached its warning",
  finished: "finished",
  queue: "has a held prompt",
  conflict: "edit the same file",
};

const ALL = "amux-all";

export class Pending {
  readonly #effects: Effects;
  /** Known news and when it is due; null if it was shown or is old. */
  readonly #news = new Map<string, { item: AttentionItem; due: number | null }>();
  /** Shown separately. */
  readonly #shown = new Set<string>();
  /** Shown as one notification. */
  readonly #together = new Set<string>();
  #isFirst = true;

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  /** Takes the current list. News in the first list is older than this page and is not shown. */
  update(items: readonly AttentionItem[], now: number): void {
    const keys = new Set(items.map(keyOf));
    const gone = [...this.#news.keys()].filter((key) => !keys.has(key));
    for (const key of gone) this.#news.delete(key);
    this.#withdraw(gone);
    for (const item of items) {
      const key = keyOf(item);
      if (!this.#news.has(key)) this.#news.set(key, { item, due: this.#isFirst ? null : now + GRACE_MS });
    }
    this.#isFirst = false;
  }

  /** The user looks at this session, or at the page. */
  seen(sessionId: string | undefined): void {
    const seen = [...this.#news].filter(([, { item }]) => sessionId === undefined || item.session_id === sessionId);
    for (const [, news] of seen) news.due = null;
    this.#withdraw(seen.map(([key]) => key));
  }

  /** Shows what is due and returns when to check again. Delayed news is included if that makes a group. */
  tick(now: number): number | undefined {
    const waiting = [...this.#news].filter(([, { due }]) => due !== null);
    const due = waiting.filter(([, news]) => news.due! <= now);
    if (due.length > 0 && (waiting.length >= TOGETHER || this.#together.size > 0)) {
      for (const [key, news] of waiting) {
        news.due = null;
        this.#together.add(key);
      }
      this.#showTogether();
    } else {
      for (const [key, news] of due) {
        news.due = null;
        this.#shown.add(key);
        this.#effects.show(wordOf(key, news.item));
      }
    }
    const next = [...this.#news.values()].flatMap((news) => news.due ?? []);
    return next.length === 0 ? undefined : Math.min(...next);
  }

  #showTogether(): void {
    const titles = [...this.#together].map((key) => this.#news.get(key)!.item.title);
    const title =
      titles.length === 1 ? `${titles[0]} needs your attention` : `${titles.length} sessions need your attention`;
    this.#effects.show({ tag: ALL, title, body: titles.join(", "), path: "/overview" });
  }

  /** Those shown as one are withdrawn at once, or counted down once: no more is shown to a user who looks. */
  #withdraw(keys: readonly string[]): void {
    for (const key of keys) if (this.#shown.delete(key)) this.#effects.withdraw(key);
    const counted = keys.filter((key) => this.#together.delete(key));
    if (counted.length === 0) return;
    if (this.#together.size === 0) this.#effects.withdraw(ALL);
    else this.#showTogether();
  }
}

function keyOf({ session_id, member = "", reason, since }: AttentionItem): string {
  return `${session_id} ${member} ${reason} ${since}`;
}

function wordOf(tag: string, { title, reason, text = "", session_id, place }: AttentionItem): Word {
  const path = reason === "budget" ? "/cost" : place === "tmux" ? "/" : `/s/${session_id}`;
  return { tag, title: `${title} ${SAID[reason]}`, body: text, path };
}
