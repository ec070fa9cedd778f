/**
 * Where a project's settings are looked for: from a directory up to the root of its repository or the user's home,
 * whichever comes first. Outside of both only the directory itself counts, since anyone may leave files in /tmp.
 */
import { existsSync, lstatSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { readText } from "./foreign-file.ts";

/** Nearest first. It ends where somebody else could have put something. */
export function projectDirectories(cwd: string, home: string): string[] {
  const reached = upToTop(cwd, home) ?? [cwd];
  const foreign = reached.findIndex((directory) => existsSync(directory) && !isUsersOwn(directory));
  return foreign === -1 ? reached : reached.slice(0, foreign);
}

/**
 * It belongs to the user or the superuser, and nobody else may write to it. Where it is a link, that holds for the link
 * and for what it leads to. False when it is not there.
 */
export function isUsersOwn(path: string): boolean {
  try {
    return isSafe(lstatSync(path), false) && isSafe(statSync(path), true);
  } catch {
    return false; // Not there, or not for us to look at.
  }
}

/** Undefined when there is neither a repository nor the home above. */
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
      return false; // A directory we may not look into is no repository to us.
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
  // A link's own mode says nothing. In a sticky directory nobody can exchange what belongs to somebody else.
  if (!isTarget || (stat.isDirectory() && (stat.mode & STICKY) !== 0)) return true;
  if ((stat.mode & OTHERS_WRITE) !== 0) return false;
  return (stat.mode & GROUP_WRITES) === 0 || isOwnGroup(stat.gid);
}

let ownGroups: Map<number, boolean> | undefined;

/** A group that nobody but the user is in, as many systems give to each user. */
function isOwnGroup(gid: number): boolean {
  ownGroups ??= new Map();
  const known = ownGroups.get(gid);
  if (known !== undefined) return known;
  const isOwn = readGroup(gid);
  ownGroups.set(gid, isOwn);
  return isOwn;
}

/** False where the system does not keep its groups in these files: then it is not known who else is in it. */
function readGroup(gid: number): boolean {
  const user = process.getuid!();
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
