/**
 * Detects a copied database. The database stores its own inode; a different inode means that it was copied, so the inodes stored
 * in it are stale. An unsealed copy may have been made during a write.
 */
import { statSync } from "node:fs";

interface Noting {
  readonly path: string;
  get(sql: string): Record<string, unknown> | undefined;
  exec(sql: string): void;
}

export function isCopied(database: Noting): boolean {
  const noted = notedIn(database);
  return noted !== NOTHING && noted !== markOf(database.path);
}

/** The stored inode is known and matches. */
export function isNoted(database: Noting): boolean {
  return notedIn(database) === markOf(database.path);
}

/** Must run inside a transaction. */
export function noteFile(database: Noting): void {
  database.exec(`PRAGMA user_version = ${markOf(database.path)}`);
}

const NOTHING = 0;

function notedIn(database: Noting): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"]);
}

/** The inode, truncated to SQLite's integer range. */
function markOf(path: string): number {
  const ino = statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
  return (ino % 0x7fff_ffff) + 1;
}
