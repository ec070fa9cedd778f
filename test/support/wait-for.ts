/** Waits for a condition instead of a time. A timeout shows everything known then. */
import { DEADLINE_MS } from "./deadline.ts";

/** At first, and after a while: each look costs the tests' and the program's time. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 200;
const SHARE_OF_WAIT = 0.25;

/** Each shows what it sees: a screen, the end of a log. */
const witnesses = new Set<Witness>();

type Witness = () => string | Promise<string>;

/** Called after every test. */
export function forgetWitnesses(): void {
  witnesses.clear();
}

/** Called when a wait in the same test times out. */
export function askOnFailure(tell: Witness): void {
  witnesses.add(tell);
}

export async function waitFor<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const started = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    const waited = performance.now() - started;
    if (waited > DEADLINE_MS) throw new Error(await inVain(what));
    const pause = Math.min(LAST_POLL_MS, Math.max(FIRST_POLL_MS, waited * SHARE_OF_WAIT));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function inVain(what: string): Promise<string> {
  const all = await Promise.all([...witnesses].map(told));
  return [`Waited in vain for ${what}, for ${Math.round(DEADLINE_MS / 1000)} s.`, ...all].join("\n\n");
}

async function told(tell: Witness): Promise<string> {
  try {
    return await tell();
  } catch (error) {
    return `(not to be known: ${String(error)})`;
  }
}

/** The end of a file, for a failure message. */
export function lastLines(text: string, count = 20): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
