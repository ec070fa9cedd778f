/** Files that a repository names: only regular files inside of it, reached without a link. */
import { lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { codeOf } from "../../lib/fs/directory.ts";

export const LINK = "leads through a link";
export const DIRECTORY = "is a directory";

/** Why the name cannot be a file inside of the repository; undefined if it can. */
export function wrongName(name: string): string | undefined {
  if (name === "" || name.includes("\0")) return "is not a file name";
  if (isAbsolute(name) || name.startsWith("~")) return "is not relative to the repository";
  const parts = partsOf(name);
  if (parts.includes("..")) return "leads out of the repository";
  if (parts.some((part) => part.toLowerCase() === ".git")) return "belongs to git";
  return undefined;
}

/** Path of the regular file below `root`, or why there is none. No part of it may be a link. */
export function insideFile(root: string, name: string): { path: string } | { problem: string; isMissing?: true } {
  const wrong = wrongName(name);
  return wrong === undefined ? unlinkedFile(root, name) : { problem: wrong };
}

/** The same for a name that is known to lead nowhere else. Where a link leads is not touched: its disk may not answer. */
export function unlinkedFile(root: string, name: string): { path: string } | { problem: string; isMissing?: true } {
  const parts = partsOf(name);
  let path = root;
  for (const [at, part] of parts.entries()) {
    path = join(path, part);
    try {
      const stat = lstatSync(path);
      if (stat.isSymbolicLink()) return { problem: LINK };
      const isLast = at === parts.length - 1;
      if (isLast && stat.isDirectory()) return { problem: DIRECTORY };
      if (isLast ? !stat.isFile() : !stat.isDirectory()) return { problem: "is not a regular file" };
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return { problem: "does not exist", isMissing: true };
      return { problem: `cannot be read (${codeOf(error)})` };
    }
  }
  return parts.length === 0 ? { problem: DIRECTORY } : { path };
}

export function partsOf(name: string): string[] {
  return name.split("/").filter((part) => part !== "" && part !== ".");
}
