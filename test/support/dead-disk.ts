/** A disk that never answers, as a lost network drive: a FUSE mount whose requests nobody reads. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestOptions } from "vitest";
import { needs } from "./needs.ts";

const DEVICE = "/dev/fuse";
const OPTIONS = "fd=3,rootmode=40000,user_id=0,group_id=0";

/** Root in some containers cannot mount. */
export function needsDeadDisk(): TestOptions {
  const disk = mount();
  disk?.remove();
  return needs(disk !== undefined, "the right to mount a dead disk");
}

/** Its path. The test itself must not look at it. */
export function deadDisk(): string {
  const { place, remove } = mount()!;
  onTestFinished(remove);
  return place;
}

function mount(): { place: string; remove: () => void } | undefined {
  if (process.getuid?.() !== 0 || !existsSync(DEVICE)) return undefined;
  const place = mkdtempSync(join(tmpdir(), "amux-dead-"));
  const device = openSync(DEVICE, "r+");
  const { status } = spawnSync("mount", ["-i", "-t", "fuse", "-o", OPTIONS, "dead", place], {
    stdio: ["ignore", "ignore", "ignore", device],
  });
  const remove = (): void => {
    // Whoever waits for it gets an error now.
    closeSync(device);
    if (status === 0) spawnSync("umount", ["-l", place]);
    rmdirSync(place);
  };
  if (status === 0) return { place, remove };
  remove();
  return undefined;
}
