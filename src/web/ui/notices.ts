/** Notices about completed actions and errors. */
import { signal } from "@preact/signals";

const SHOWN_MS = 7000;

export interface Notice {
  id: number;
  text: string;
  tone: "calm" | "bad";
  action?: { label: string; run(): void };
}

export const notices = signal<readonly Notice[]>([]);
let lastId = 0;

export function tell(text: string, options: Partial<Omit<Notice, "id" | "text">> = {}): () => void {
  const notice: Notice = { id: ++lastId, text, tone: "calm", ...options };
  const close = (): void => {
    notices.value = notices.value.filter(({ id }) => id !== notice.id);
  };
  // Equal errors of several requests are shown once.
  const others = notices.value.filter((other) => other.text !== text);
  notices.value = [...others.slice(-3), notice];
  setTimeout(close, SHOWN_MS);
  return close;
}

/** Shows what was done, with an undo action. */
export function tellUndo(text: string, undo: () => Promise<unknown>): void {
  const run = (): void => {
    close();
    void attempt(undo);
  };
  const close = tell(text, { action: { label: "Undo", run } });
}

/** Runs an action and shows its error as a notice. */
export async function attempt<Value>(act: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) tell(messageOf(error), { tone: "bad" });
    return undefined;
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return "The daemon cannot be reached.";
  return error instanceof Error ? error.message : String(error);
}
