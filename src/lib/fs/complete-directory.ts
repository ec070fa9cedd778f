/** The directories that continue a typed path; a relative one is below the home. */
import { readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { withoutControls } from "../text/text.ts";
import { resolveHome, type PathEnv } from "./paths.ts";

export interface DirectoryCompletions {
  /** The typed path up to its last slash. */
  parent: string;
  names: string[];
}

export function directoryCompletions(env: PathEnv, typed: string): DirectoryCompletions {
  const parent = typed === "~" ? "~/" : typed.slice(0, typed.lastIndexOf("/") + 1);
  const start = typed === "~" ? "" : typed.slice(parent.length);
  const directory = resolveHome(env, parent === "" ? "~" : parent);
  const names = entriesOf(directory)
    .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
    .filter((entry) => isDirectory(directory, entry) && withoutControls(entry.name) === entry.name)
    .map(({ name }) => name)
    .sort();
  return { parent, names };
}

function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Missing or unreadable: nothing to offer.
    return [];
  }
}

function isDirectory(parent: string, entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && isExistingDirectory(join(parent, entry.name)));
}

export function isExistingDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
