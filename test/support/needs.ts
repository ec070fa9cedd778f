/** For tests that cannot run everywhere: where they cannot, the run tells why. */
import type { TestOptions } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    skippedFor?: string;
  }
}

/** `what` completes "skipped: needs …". */
export function needs(isThere: boolean, what: string): TestOptions {
  return isThere ? {} : { skip: true, meta: { skippedFor: `needs ${what}` } };
}

export const needsLinux = needs(process.platform === "linux", "Linux");
export const needsRoot = needs(process.getuid?.() === 0, "to be root");
