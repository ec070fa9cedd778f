/** Copies the files that a repository's settings name from one checkout to another: never out of a checkout, never over a file. */
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../lib/fs/directory.ts";
import { readBytes } from "../../lib/fs/foreign-file.ts";
import { oneLine } from "../../lib/text/text.ts";
import { insideFile, partsOf } from "./inside-file.ts";

/** Settings and keys are small; a disk image is a mistake. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface Copied {
  copied: string[];
  /** One sentence each. */
  notes: string[];
}

export function copyFiles(names: readonly string[], from: string, to: string): Copied {
  const result: Copied = { copied: [], notes: [] };
  for (const name of new Set(names)) {
    const problem = copyOne(name, from, to);
    if (problem === undefined) result.copied.push(name);
    else result.notes.push(`${oneLine(name)} was not copied: it ${problem}.`);
  }
  return result;
}

function copyOne(name: string, from: string, to: string): string | undefined {
  const source = insideFile(from, name);
  if ("problem" in source) return source.problem;
  const target = insideFile(to, name);
  if ("path" in target) return "is in the branch already";
  if (target.isMissing !== true) return `${target.problem} in the branch`;
  const path = join(to, ...partsOf(name));
  try {
    const bytes = readBytes(source.path, MAX_FILE_BYTES);
    makeParents(to, partsOf(name).slice(0, -1));
    // "wx" creates: it neither overwrites nor follows a link.
    writeFileSync(path, bytes, { flag: "wx", mode: lstatSync(source.path).mode & 0o777 });
    return undefined;
  } catch (error) {
    return codeOf(error) === "TOO_LARGE" ? "is larger than 16 MB" : `cannot be copied (${codeOf(error)})`;
  }
}

/** One at a time: `recursive` would follow a link. */
function makeParents(root: string, parts: readonly string[]): void {
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) mkdirSync(path);
  }
}
