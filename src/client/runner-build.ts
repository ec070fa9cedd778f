/** Which build a session's runner is of: one that amux was updated over is outdated until the session is restarted. */
import { readText } from "../lib/fs/foreign-file.ts";
import type { KnownSession } from "./session-list.ts";
import { bundledRunner } from "./runner-process.ts";

/** The build embeds its hash in the runner, as its only word of this form. */
export function runnerHash(path: string): string | undefined {
  try {
    return /[0-9a-f]{64}/.exec(readText(path))?.[0];
  } catch {
    // Without it nothing can be launched or called outdated.
    return undefined;
  }
}

let current: { hash: string | undefined } | undefined;

/** A runner that does not report its build is not called outdated. */
export function isOutdated({ meta, alive }: KnownSession): boolean {
  if (!alive || meta.binary_hash === undefined) return false;
  current ??= { hash: runnerHash(bundledRunner()) };
  return current.hash !== undefined && meta.binary_hash !== current.hash;
}
