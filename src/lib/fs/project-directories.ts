/**
 * Where project settings are looked for: from a directory up to its repository root or the user's home. Elsewhere only the
 * directory itself counts, since anyone may write to /tmp.
 */
import { existsSync, lstatSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "./foreign-file.ts";

/** Nearest first. Stops where another user could have put a file. */
export function projectDirectories(cwd: string, home: string): string[] {
  const reached = upToTop(cwd, home) ?? [cwd];
  const foreign = reached.findIndex((directory) => existsSync(directory) && !isUsersOwn(directory));
  return foreign === -1 ? reached : reached.slice(0, foreign);
}

/**
 * It belongs to the user or root and nobody else can write to it. For a link, both the link and its target must pass. False if
 * missing.
 */
export function isUsersOwn(path: string): boolean {
  try {
    return isSafe(lstatSync(path), false) && isSafe(statSync(path), true);
  } catch {
    return false; // Missing, or not readable for us.
  }
}

/** Undefined without a repository or the home directory above. */
function upToTop(cwd: string, home: string): string[] | undefined {
  const directories: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    directories.push(directory);
    if (directory === home || isRepository(directory)) return directories;
    if (dirname(directory) === directory) return undefined;
  }
}

function isRepository(directory: string): boolean {
  return [".git", ".jj"].some((name) => {
    try {
      return lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false; // A directory we cannot read is not a repository for us.
    }
  });
}

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;

function isSafe(stat: Stats, isTarget: boolean): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  if (stat.uid !== user && stat.uid !== 0) return false;
  // A link's own mode means nothing. In a sticky directory nobody can replace another user's files.
  if (!isTarget || (stat.isDirectory() && (stat.mode & STICKY) !== 0)) return true;
  if ((stat.mode & OTHERS_WRITE) !== 0) return false;
  return (stat.mode & GROUP_WRITES) === 0 || isOwnGroup(stat.gid);
}

let ownGroups: Map<number, boolean> | undefined;

/** A group with only the user in it, as many systems create for each user. */
function isOwnGroup(gid: number): boolean {
  ownGroups ??= new Map();
  const known = ownGroups.get(gid);
  if (known !== undefined) return known;
  const isOwn = readGroup(gid);
  ownGroups.set(gid, isOwn);
  return isOwn;
}

/** False if the system keeps its groups elsewhere: then the other members are unknown. */
function readGroup(gid: number): boolean {
  const user = process.getuid?.();
  try {
    const accounts = linesOf("/etc/passwd");
    const name = accounts.find((fields) => Number(fields[2]) === user)?.[0];
    const group = linesOf("/etc/group").find((fields) => Number(fields[2]) === gid);
    if (name === undefined || group === undefined) return false;
    const members = (group[3] ?? "").split(",").filter((member) => member !== "" && member !== name);
    return members.length === 0 && accounts.every((fields) => Number(fields[3]) !== gid || Number(fields[2]) === user);
  } catch {
    return false;
  }
}

function linesOf(path: string): string[][] {
  return readText(path)
    .split("\n")
    .map((line) => line.split(":"));
}
