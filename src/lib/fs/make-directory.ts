/** Creates a directory and its parents. Node's recursive mkdir never returns on file systems that refuse new entries (/proc). */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./directory.ts";

/** Returns the topmost directory that was created. */
export function makeDirectory(path: string, mode = 0o700): string | undefined {
  try {
    mkdirSync(path, mode);
    return path;
  } catch (error) {
    if (isDirectory(path)) return undefined;
    const parent = dirname(path);
    if (codeOf(error) !== "ENOENT" || parent === path || isDirectory(parent)) throw error;
    const topmost = makeDirectory(parent, mode);
    return makeDirectory(path, mode) === undefined ? topmost : (topmost ?? path);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
