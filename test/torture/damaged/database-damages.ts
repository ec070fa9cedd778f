/** Damage to a database of another program. */
import { DatabaseSync } from "@photostructure/sqlite";
import { chmodSync, copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { leftOut, UNHARMED, type Damage } from "./damage.ts";
import { PLACE_DAMAGES } from "./path-damages.ts";

const OF_ANY_FILE = new Set([
  "a directory in its place",
  "a FIFO in its place",
  "a link to itself",
  "a link to nowhere",
]);
const PAGE_BYTES = 4096;

export const DATABASE_DAMAGES: readonly Damage[] = [
  ...PLACE_DAMAGES.filter(({ name }) => OF_ANY_FILE.has(name)),
  {
    name: "may not be read",
    make: (path) => chmodSync(path, 0),
    promise: leftOut("EACCES|unable to open"),
    asOtherUser: true,
  },
  { name: "everything in the log only", make: intoLog, promise: UNHARMED },
  {
    name: "the log cut in half",
    make: (path) => {
      intoLog(path);
      cut(`${path}-wal`, 0.5);
    },
    promise: leftOut("malformed"),
  },
  {
    name: "cut in half",
    make: (path) => {
      alone(path);
      cut(path, 0.5);
    },
    promise: leftOut("malformed"),
  },
  {
    name: "nothing but NUL bytes",
    make: (path) => {
      alone(path);
      writeFileSync(path, Buffer.alloc(readFileSync(path).length));
    },
    promise: leftOut("not a database"),
  },
  {
    name: "empty",
    make: (path) => {
      alone(path);
      writeFileSync(path, "");
    },
    promise: leftOut(""),
    exceptions: { kilo: { skipped: "no table" }, opencode: { skipped: "no table" } },
  },
];

/** A store whose owner was killed before its first checkpoint. */
function intoLog(path: string): void {
  const copy = `${path}.building`;
  copyFileSync(path, copy);
  try {
    copyFileSync(`${path}-wal`, `${copy}-wal`);
  } catch {
    // The recording has no log.
  }
  const database = new DatabaseSync(copy);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE); VACUUM");
  alone(path);
  copyFileSync(copy, path);
  copyFileSync(`${copy}-wal`, `${path}-wal`);
  database.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });
  truncateSync(path, PAGE_BYTES);
}

/** Without its log, so that the file is everything. */
function alone(path: string): void {
  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
}

function cut(path: string, share: number): void {
  truncateSync(path, Math.floor((readFileSync(path).length * share) / PAGE_BYTES) * PAGE_BYTES);
}
