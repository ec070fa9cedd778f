/**
 * Ignored files that only this worktree has, such as a changed `.env` or a local database: git removes them with it without a
 * word. Also changed files that git does not look at. What tools write anew does not count, nor a copy of what the main checkout has.
 */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readBytes } from "../../lib/fs/foreign-file.ts";
import type { Git } from "./user-git.ts";

/** Beside these, directories with a dot in front belong to tools. */
const BUILD_DIRECTORIES = new Set(
  "node_modules bower_components dist build out target coverage __pycache__ venv env vendor bin obj tmp temp log logs Debug Release Pods DerivedData".split(
    " ",
  ),
);

const MADE_ANEW = /(?:\.log|\.pyc|\.o|\.class|\.tsbuildinfo|\.swp|\.pid|cache|\.egg-info)$|^\.DS_Store$|^\.coverage$/i;

/** A larger file is compared by nobody: it counts. */
const MAX_COMPARED_BYTES = 16 * 1024 * 1024;

const MAX_FILES = 1000;

/** Relative names; a whole directory ends with a slash. */
export async function ownIgnoredFiles(there: Git, path: string, main: string): Promise<string[]> {
  const status = await there("status", "--porcelain", "-z", "--no-renames", "--ignored=matching", "-uall");
  const ignored = status.split("\0").flatMap((entry) => (entry.startsWith("!! ") ? [entry.slice(3)] : []));
  const own = ignored.filter((name) => !isMadeAnew(name) && hasOwn(join(path, name), join(main, name)));
  return [...own, ...(await unseenChanges(there, path))].slice(0, MAX_FILES);
}

/** Changed files that git was told not to look at: `git update-index --skip-worktree` or `--assume-unchanged`. */
async function unseenChanges(there: Git, path: string): Promise<string[]> {
  const all = (await there("ls-files", "-v", "-z")).split("\0");
  const marked = all.flatMap((entry) => (/^[Sa-z] /.test(entry) ? [entry.slice(2)] : []));
  // A sparse checkout marks files that are not there.
  const isFile = (name: string): boolean =>
    lstatSync(join(path, name), { throwIfNoEntry: false })?.isFile() === true && !name.includes("\n");
  const names = marked.filter(isFile).slice(0, MAX_FILES);
  if (names.length === 0) return [];
  const staged = (await there("--literal-pathspecs", "ls-files", "-s", "-z", "--", ...names)).split("\0");
  const known = new Map(staged.map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry.split(" ")[1]]));
  const now = (await there("hash-object", "--", ...names)).split("\n");
  return names.filter((name, at) => known.get(name) !== now[at]);
}

function isMadeAnew(name: string): boolean {
  const parts = name.split("/");
  const file = parts.pop()!;
  const isOfTool = parts.some((part) => part.startsWith(".") || BUILD_DIRECTORIES.has(part) || MADE_ANEW.test(part));
  return isOfTool || (file !== "" && MADE_ANEW.test(file));
}

/** Whether there is anything that the main checkout does not have. */
function hasOwn(own: string, other: string): boolean {
  const [a, b] = [own, other].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (a?.isDirectory() === true) return readdirSync(own).length > 0;
  // A link has no content of its own.
  if (a?.isFile() !== true || a.size === 0) return false;
  if (b?.isFile() !== true || a.size !== b.size || a.size > MAX_COMPARED_BYTES) return true;
  return !readBytes(own, MAX_COMPARED_BYTES).equals(readBytes(other, MAX_COMPARED_BYTES));
}
