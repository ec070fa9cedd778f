/** World-writable directories such as /tmp, below which some programs trust nothing. */
import { statSync } from "node:fs";
import { dirname } from "node:path";

const OTHERS_WRITE = 0o002;

/** The nearest one at or above a path; a missing path is not shared. */
export function sharedAbove(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true && (stats.mode & OTHERS_WRITE) !== 0) return path;
  return dirname(path) === path ? undefined : sharedAbove(dirname(path));
}
