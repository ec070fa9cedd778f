/** Waits for a condition instead of a time. A timeout shows everything known then. */
import { DEADLINE_MS } from "./deadline.ts";

/** At first, and after a while: each look costs the tests' and the program's time. */
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 100;
const SHARE_OF_WAIT = 0.1;

/** Each shows what it sees: a screen, the end of a log. */
const witnesses = new Set<() => string>();

/** Called after every test. */
export function forgetWitnesses(): void {
  witnesses.clear();
}

/** Called when a wait in the same test times out. */
export function askOnFailure(tell: () => string): void {
  witnesses.add(tell);
}

export async function waitFor<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const started = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    const waited = performance.now() - started;
    if (waited > DEADLINE_MS) throw new Error(inVain(what));
    const pause = Math.min(LAST_POLL_MS, Math.max(FIRST_POLL_MS, waited * SHARE_OF_WAIT));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function inVain(what: string): string {
  return [`Waited in vain for ${what}, for ${Math.round(DEADLINE_MS / 1000)} s.`, ...[...witnesses].map(told)].join(
    "\n\n",
  );
}

function told(tell: () => string): string {
  try {
    return tell();
  } catch (error) {
    return `(not to be known: ${String(error)})`;
  }
}

/** The end of a file, for a failure message. */
export function lastLines(text: string, count = 20): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
