/**
 * Conversations being read page by page. An unchanged one is not opened again, and a following page continues from the last
 * position.
 */
import { fileStat } from "../../lib/fs/directory.ts";
import type { SessionReference } from "../../core/diff.ts";
import type { SessionMessage } from "../../core/session.ts";
import type { OnProgress } from "../../history/progress.ts";
import type { SessionManager } from "../../history/manager.ts";
import type { SessionView } from "../../history/session-view.ts";

/** Enough for the views and followers of a few windows. */
const MAX_OPEN = 8;

/** After this long without a request a reader may wait for the next page. */
const FORGET_AFTER_MS = 60_000;

interface Transcript {
  view: SessionView;
  /** A position to continue from. */
  bookmark: { messages: Iterator<SessionMessage>; next: number } | undefined;
  forget: NodeJS.Timeout;
}

export class OpenTranscripts {
  readonly #manager: SessionManager;
  readonly #open = new Map<string, Transcript>();

  constructor(manager: SessionManager) {
    this.#manager = manager;
  }

  async open(session: SessionReference, onProgress: OnProgress): Promise<Pages> {
    const key = `${session.agent}:${session.sessionId}`;
    const known = this.#open.get(key);
    if (known !== undefined && isCurrent(known.view)) {
      known.forget.refresh();
      return new Pages(known);
    }
    this.#close(key);
    const view = await this.#manager.open(session.agent, session.sessionId, { onProgress });
    const forget = setTimeout(() => this.#close(key), FORGET_AFTER_MS);
    forget.unref();
    const transcript: Transcript = { view, bookmark: undefined, forget };
    this.#close(key);
    this.#open.set(key, transcript);
    for (const oldest of this.#open.keys()) if (this.#open.size > MAX_OPEN) this.#close(oldest);
    return new Pages(transcript);
  }

  #close(key: string): void {
    const transcript = this.#open.get(key);
    if (transcript === undefined) return;
    clearTimeout(transcript.forget);
    transcript.bookmark?.messages.return?.();
    this.#open.delete(key);
  }
}

export class Pages {
  readonly #transcript: Transcript;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  get view(): SessionView {
    return this.#transcript.view;
  }

  /** Messages `from` to `from + limit`. */
  *read(from: number, limit: number): Generator<SessionMessage> {
    const { messages, next: first } = this.#position(from);
    let next = first;
    try {
      for (; next < from + limit; next++) {
        const { value, done } = messages.next();
        if (done === true) return;
        if (next >= from) yield value;
      }
    } finally {
      // Also for a reader that left inside its page: the next may continue there.
      if (this.#transcript.bookmark === undefined) this.#transcript.bookmark = { messages, next };
      else messages.return?.();
    }
  }

  /** Where reading begins. Taking the bookmark gives ownership: two readers would steal each other's messages. */
  #position(from: number): { messages: Iterator<SessionMessage>; next: number } {
    const { bookmark, view } = this.#transcript;
    if (bookmark === undefined || bookmark.next > from)
      return { messages: view.messages()[Symbol.iterator](), next: 0 };
    this.#transcript.bookmark = undefined;
    return bookmark;
  }
}

/** Whether the files are unchanged since the lookup. */
function isCurrent({ source }: SessionView): boolean {
  return source.files.every(({ path, size, mtimeMs }) => {
    const now = fileStat(path);
    return now?.size === size && now.mtimeMs === mtimeMs;
  });
}
