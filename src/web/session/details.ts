/** Details that are not in a session's row: terminals, branch, memory. Polled while visible. */
import { signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { SessionDetails } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { api } from "../state/api.ts";

const LOOK_EVERY_MS = 15_000;
/** Limits requests for a session that changes often. */
const AT_MOST_EVERY_MS = 2000;

export class Details {
  readonly value: ReadonlySignal<SessionDetails | null>;
  readonly #value = signal<SessionDetails | null>(null);
  readonly #id: string;
  readonly #timer: ReturnType<typeof setInterval>;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #lookedAt = 0;
  #asked = 0;
  /** The look whose answer is shown. */
  #shown = 0;
  #left = false;

  constructor(id: string) {
    this.#id = id;
    this.value = this.#value;
    this.#timer = setInterval(() => document.hidden || this.look(), LOOK_EVERY_MS);
  }

  look(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#lookedAt = Date.now();
    const asked = ++this.#asked;
    api.details(this.#id).then(
      (details) => {
        // An answer can come after that of a later look, and is older.
        if (this.#left || asked < this.#shown) return;
        this.#shown = asked;
        this.#value.value = details;
      },
      () => undefined, // The row shows when the session is gone.
    );
  }

  /** Requests a refresh. */
  lookSoon(): void {
    this.#soon ??= setTimeout(() => this.look(), Math.max(0, this.#lookedAt + AT_MOST_EVERY_MS - Date.now()));
  }

  close(): void {
    this.#left = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
  }
}

export function useDetails(session: MuxSession): Details {
  const details = useMemo(() => new Details(session.id), [session.id]);
  useEffect(() => () => details.close(), [details]);
  useEffect(() => details.lookSoon(), [details, session]);
  return details;
}
