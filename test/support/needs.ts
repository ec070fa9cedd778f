/** For tests that cannot run everywhere: the run says why they were skipped. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Root in some containers cannot mount. */
export function needsSmallDisk(): TestOptions {
  const place = mkdtempSync(join(tmpdir(), "amux-mount-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4k", "tmpfs", place]).status === 0;
  if (isMounted) spawnSync("umount", [place]);
  rmdirSync(place);
  return needs(isMounted, "the right to mount a small disk");
}
