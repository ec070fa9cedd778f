/**
 * The database notes as which file it was written. One that is another file now was copied, with all that belongs to it or alone: files
 * that it tells of have other numbers then. And while it is not sealed, it may have been copied in the middle of being written.
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

/** As which file it was written is known, and it is that one. */
export function isNoted(database: Noting): boolean {
  return notedIn(database) === markOf(database.path);
}

/** Within a transaction. */
export function noteFile(database: Noting): void {
  database.exec(`PRAGMA user_version = ${markOf(database.path)}`);
}

const NOTHING = 0;

function notedIn(database: Noting): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"]);
}

/** The file's number, as far as SQLite has room for it. */
function markOf(path: string): number {
  const ino = statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
  return (ino % 0x7fff_ffff) + 1;
}
