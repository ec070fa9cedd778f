/**
 * A moment in the life of some directory trees, from which on changes are looked for. Whatever happens to a file or a
 * directory sets its time of change (ctime) to now, which nobody can set back; and a name that comes or goes, its
 * directory's. So nothing has changed since unless something bears a later time (tree-survey.ts).
 */
import { lstatSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { SETTLING_MS, type FileStat, type Sights } from "./directory.ts";

/** Plain data, to be kept as JSON. */
export interface TreeMark {
  /** The topmost directories, and which ones they were. */
  roots: { path: string; identity: string }[];
  /** What was looked at elsewhere, there or not: few. */
  others: { path: string; stat: FileStat | null }[];
  /** Seconds with nine decimals. */
  since: string;
  /** What was changed last; if it is not there any more, an earlier state of it all may have been put in its place. */
  witness: string;
  /** Paths that were looked at. */
  size: number;
}

/** Of all that was looked at, as it was then. Undefined when later changes could be missed. */
export function markOf(seen: Sights): TreeMark | undefined {
  if (seen.isUnsure || seen.newest === undefined) return undefined;
  const since = momentOf(seen, seen.newest);
  if (since === undefined) return undefined;
  const tops = topmost([...seen.directories].flatMap(([path, stat]) => (stat ? [path] : [])));
  const others: TreeMark["others"] = [];
  for (const [path, stat] of [...seen.directories, ...seen.files]) {
    if (!isBelow(path, tops)) others.push({ path, stat: stat ?? null });
    // What a link leads to may change without anything here being changed.
    else if (!tops.has(path) && isLink(path, seen)) return undefined;
  }
  const roots = Array.from(tops, (path) => ({ path, identity: identityOf(path) ?? "" }));
  return { roots, others, since, witness: seen.newest.path, size: seen.directories.size + seen.files.size };
}

/** The time of the last change, unless that was a moment before: the same one can be given to another change. */
function momentOf({ startedMs }: Sights, { path, ctimeMs }: { path: string; ctimeMs: number }): string | undefined {
  const settled = startedMs - SETTLING_MS;
  if (ctimeMs > settled) return secondsOf(BigInt(Math.floor(settled)) * 1_000_000n);
  const exact = statSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
  // Changed since it was looked at.
  if (exact === undefined || Number(exact / 1_000_000n) > ctimeMs) return undefined;
  return secondsOf(exact);
}

function secondsOf(nanoseconds: bigint): string {
  const digits = nanoseconds.toString().padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

function topmost(directories: readonly string[]): Set<string> {
  const all = new Set(directories);
  return new Set(directories.filter((path) => !isBelow(dirname(path), all)));
}

/** Whether it is one of these or lies below one. */
function isBelow(path: string, directories: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (directories.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}

function isLink(path: string, { directories, links, files }: Sights): boolean {
  if (links.has(path)) return true;
  // In a directory that was listed it would have been met.
  if (directories.has(dirname(path)) || (files.get(path) ?? directories.get(path)) === undefined) return false;
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Another one in the same place has another. Undefined: there is none. */
export function identityOf(directory: string): string | undefined {
  try {
    const stat = statSync(directory, { throwIfNoEntry: false });
    return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`;
  } catch {
    // Something stands in place of one of its parents.
    return undefined;
  }
}

export function isIn(path: string, { roots }: TreeMark): boolean {
  return roots.some((root) => path === root.path || path.startsWith(`${root.path}${sep}`));
}
