/** The directories that continue a typed path; a relative one is below the home. */
import { readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { ANSWERING, type AnsweringDirectories } from "./answering-directories.ts";
import { withoutControls } from "../text/text.ts";
import { resolveHome, type PathEnv } from "./paths.ts";

export interface DirectoryCompletions {
  /** The typed path up to its last slash. */
  parent: string;
  names: string[];
}

export async function directoryCompletions(
  env: PathEnv,
  typed: string,
  answering = ANSWERING,
): Promise<DirectoryCompletions> {
  const parent = typed === "~" ? "~/" : typed.slice(0, typed.lastIndexOf("/") + 1);
  const start = typed === "~" ? "" : typed.slice(parent.length);
  const directory = resolveHome(env, parent === "" ? "~" : parent);
  if (!(await answering.has(directory))) return { parent, names: [] };
  const names: string[] = [];
  for (const entry of entriesOf(directory)) {
    const { name } = entry;
    if (!name.startsWith(start) || (name.startsWith(".") && !start.startsWith("."))) continue;
    if (withoutControls(name) === name && (await isDirectory(directory, entry, answering))) names.push(name);
  }
  return { parent, names: names.sort() };
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Missing or unreadable: nothing to offer.
    return [];
  }
}

async function isDirectory(parent: string, entry: Dirent, answering: AnsweringDirectories): Promise<boolean> {
  return entry.isDirectory() || (entry.isSymbolicLink() && isExistingDirectory(join(parent, entry.name), answering));
}

/** False if it is on a disk that does not answer. */
export async function isExistingDirectory(path: string, answering = ANSWERING): Promise<boolean> {
  if (!(await answering.has(path))) return false;
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
