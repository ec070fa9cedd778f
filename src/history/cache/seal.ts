/**
 * Size and time of the database as its last writer left it, in a file beside it. A database that looks otherwise was
 * changed by something else (a failing disk, a restored backup, another program) and is not to be trusted, even
 * where SQLite finds nothing wrong: it does not check the contents of its pages.
 *
 * Without a seal nothing is known, and the database is trusted: one whose writer was killed has none, and is whole. Unless it is a copy
 * (copied.ts), which may have been made while it was written.
 */
import { existsSync, rmSync, statSync } from "node:fs";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export function sealPath(database: string): string {
  return `${database}.seal`;
}

/** When nobody writes any more and the log is empty. */
export function seal(database: string): void {
  try {
    const impression = impressionOf(database);
    writeFileAtomic(sealPath(database), impression);
    // Somebody may have begun to write before it was in place, when there was none to be broken.
    if (impressionOf(database) !== impression) unseal(database);
  } catch {
    // No space for it: then it is as after a kill.
  }
}

/** Before and after anything is written. */
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
    // None there.
    return false;
  }
  return sealed !== impressionOf(database);
}

function impressionOf(database: string): string {
  const stat = statSync(database, { throwIfNoEntry: false });
  return stat === undefined ? "gone" : `${stat.size} ${stat.mtimeMs}`;
}
