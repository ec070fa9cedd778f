/**
 * The seal: the database's size and time after its last write, in a file beside it. A mismatch means that something else
 * changed the database, so it is not trusted. Without a seal it is, unless it is a copy (copied.ts).
 */
import { existsSync, rmSync, statSync } from "node:fs";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export function sealPath(database: string): string {
  return `${database}.seal`;
}

/** Called when no writer is left and the WAL is empty. */
export function seal(database: string): void {
  try {
    const impression = impressionOf(database);
    writeFileAtomic(sealPath(database), impression);
    // A writer may have started before the seal existed to be broken.
    if (impressionOf(database) !== impression) unseal(database);
  } catch {
    // No space for the seal: same as after a kill.
  }
}

/** Called before and after each write. */
export function unseal(database: string): void {
  rmSync(sealPath(database), { force: true });
}

export function hasSeal(database: string): boolean {
  return existsSync(sealPath(database));
}

export function isSealBroken(database: string): boolean {
  let sealed: string;
  try {
    sealed = readText(sealPath(database));
  } catch {
    // There is none.
    return false;
  }
  return sealed !== impressionOf(database);
}

function impressionOf(database: string): string {
  const stat = statSync(database, { throwIfNoEntry: false });
  return stat === undefined ? "gone" : `${stat.size} ${stat.mtimeMs}`;
}
