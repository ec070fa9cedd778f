/**
 * Which notifications are due. News waits a little: whoever looks at the session in that time needs none. Three or more
 * that fall due together become one. What was shown is withdrawn when it is no longer true.
 */
import type { AttentionItem } from "../../protocol/daemon-api.ts";

export const GRACE_MS = 5000;
const TOGETHER = 3;

export interface Word {
  /** One notification per tag; a new one replaces the old. */
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
  finished: "finished",
};

const ALL = "amux-all";

export class Pending {
  readonly #effects: Effects;
  /** Known news and when it falls due; null when it was told or is old. */
  readonly #news = new Map<string, { item: AttentionItem; due: number | null }>();
  readonly #shown = new Set<string>();
  #isFirst = true;

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  /** The list as it is now. What is in the first list is old: it was there before this page. */
  update(items: readonly AttentionItem[], now: number): void {
    const keys = new Set(items.map(keyOf));
    for (const key of this.#news.keys()) if (!keys.has(key)) this.#forget(key);
    for (const item of items) {
      const key = keyOf(item);
      if (!this.#news.has(key)) this.#news.set(key, { item, due: this.#isFirst ? null : now + GRACE_MS });
    }
    this.#isFirst = false;
  }

  /** Somebody looks at the session, or at the whole page. */
  seen(sessionId: string | undefined): void {
    for (const [key, news] of this.#news) {
      if (sessionId !== undefined && news.item.session_id !== sessionId) continue;
      news.due = null;
      this.#withdraw(key);
    }
  }

  /** Shows what is due, and answers when to look again. */
  tick(now: number): number | undefined {
    const due = [...this.#news].filter(([, news]) => news.due !== null && news.due <= now);
    for (const [, news] of due) news.due = null;
    if (due.length >= TOGETHER) this.#showAll(due.map(([, { item }]) => item));
    else for (const [key, { item }] of due) this.#show(key, wordOf(key, item));
    const next = [...this.#news.values()].flatMap((news) => news.due ?? []);
    return next.length === 0 ? undefined : Math.min(...next);
  }

  #showAll(items: readonly AttentionItem[]): void {
    const title = `${items.length} sessions have something for you`;
    const body = items.map((item) => item.title).join(", ");
    this.#show(ALL, { tag: ALL, title, body, path: "/overview" });
  }

  #show(key: string, word: Word): void {
    this.#shown.add(key);
    this.#effects.show(word);
  }

  #forget(key: string): void {
    this.#news.delete(key);
    this.#withdraw(key);
    if (this.#news.size === 0) this.#withdraw(ALL);
  }

  #withdraw(key: string): void {
    if (this.#shown.delete(key)) this.#effects.withdraw(key);
  }
}

function keyOf({ session_id, member = "", reason, since }: AttentionItem): string {
  return `${session_id} ${member} ${reason} ${since}`;
}

function wordOf(tag: string, { title, reason, text = "", session_id, place }: AttentionItem): Word {
  const path = place === "tmux" ? "/" : `/s/${session_id}`;
  return { tag, title: `${title} ${SAID[reason]}`, body: text, path };
}
