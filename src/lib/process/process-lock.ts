/**
 * A lock file that survives no dead holder. Node has no flock: `link` creates it, which only one process can win, and a dead
 * holder's file is removed under a second such lock.
 */
import { linkSync, lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../fs/directory.ts";
import { asNumber, asObject, asText } from "../json/fields.ts";
import { isRunning, startTimeOf } from "./processes.ts";
import { readText } from "../fs/foreign-file.ts";

export interface ProcessLock {
  /** Takes it again if the file was removed. False if another process has it. */
  renew(): boolean;
  release(): void;
}

interface Holder {
  pid: number;
  startTime: string;
}

/** Keeps the names of two tries in one millisecond apart. */
let tries = 0;

/** Undefined when a running process has it. */
export function acquireLock(path: string): ProcessLock | undefined {
  const holder: Holder = { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
  if (!take(path, holder)) return undefined;
  return {
    renew: () => isHeldBy(path, holder) || take(path, holder),
    release: () => {
      if (isHeldBy(path, holder)) rmSync(path, { force: true });
    },
  };
}

function take(path: string, holder: Holder): boolean {
  const mine = `${path}.${process.pid}.${Date.now().toString(36)}.${++tries}`;
  try {
    writeFileSync(mine, JSON.stringify(holder), { mode: 0o600, flag: "wx" });
    return tryLink(mine, path) || (isHeldByTheDead(path) && takeOver(mine, path));
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Whether a running process has it. Reads two small files and changes nothing. */
export function isLockHeld(path: string): boolean {
  return lockHolder(path) !== undefined;
}

/** The running process that has it. */
export function lockHolder(path: string): number | undefined {
  const holder = holderOf(path);
  return holder !== undefined && isRunning(holder.pid, holder.startTime) ? holder.pid : undefined;
}

/** Removes temporary files of processes that were killed while taking the lock. */
export function removeAbandoned(path: string): void {
  const directory = dirname(path);
  for (const name of readdirSync(directory)) {
    const other = join(directory, name);
    const holder = other.startsWith(`${path}.`) ? holderOf(other) : undefined;
    if (holder !== undefined && !isRunning(holder.pid, holder.startTime)) rmSync(other, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function takeOver(mine: string, path: string): boolean {
  const breaker = `${path}.take-over`;
  if (isHeldByTheDead(breaker)) rmSync(breaker, { force: true });
  if (!tryLink(mine, breaker)) return false;
  try {
    // Another process may have taken it between our check and our turn.
    if (!isHeldByTheDead(path)) return tryLink(mine, path);
    rmSync(path, { force: true });
    return tryLink(mine, path);
  } finally {
    rmSync(breaker, { force: true });
  }
}

function isHeldByTheDead(path: string): boolean {
  const holder = holderOf(path);
  return holder === undefined ? isEmptyFile(path) : !isRunning(holder.pid, holder.startTime);
}

/** A lock file is created with its content; an empty one lost it when the machine went down. */
function isEmptyFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === 0;
}

function isHeldBy(path: string, holder: Holder): boolean {
  const now = holderOf(path);
  return now?.pid === holder.pid && now.startTime === holder.startTime;
}

function holderOf(path: string): Holder | undefined {
  try {
    const value = asObject(JSON.parse(readText(path)));
    const pid = asNumber(value?.["pid"]);
    const startTime = asText(value?.["startTime"]);
    return pid === undefined || startTime === undefined ? undefined : { pid, startTime };
  } catch {
    return undefined; // Gone, or not ours: no holder that we could prove dead.
  }
}
