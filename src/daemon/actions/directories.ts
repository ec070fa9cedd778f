/** Completes a directory path for launching. */
import { readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { resolveHome, type PathEnv } from "../../lib/fs/paths.ts";
import { withoutControls } from "../../lib/text/text.ts";
import type { SessionStore } from "../store/store.ts";

const MAX_ANSWERS = 50;

/** Directories with the typed prefix, in the typed form; recent directories for an empty one. */
export function completeDirectory(env: PathEnv, store: SessionStore, typed: string): string[] {
  if (typed === "") return recentPlaces(env, store);
  const known = typed === "~" ? "~/" : typed.slice(0, typed.lastIndexOf("/") + 1);
  const start = typed === "~" ? "" : typed.slice(known.length);
  const directory = resolveHome(env, known === "" ? "~" : known);
  return entriesOf(directory)
    .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
    .filter((entry) => isDirectory(directory, entry) && withoutControls(entry.name) === entry.name)
    .map(({ name }) => `${known === "" ? "~/" : known}${name}`)
    .sort()
    .slice(0, MAX_ANSWERS);
}

/** Newest first, each once, if they exist. */
function recentPlaces(env: PathEnv, store: SessionStore): string[] {
  const places = new Set<string>();
  for (const { cwd, peer } of store.list()) {
    if (places.size === MAX_ANSWERS) break;
    if (peer === undefined && !places.has(cwd) && isPlace(cwd)) places.add(cwd);
  }
  return [...places].map((place) => homely(env, place));
}

function homely({ home }: PathEnv, path: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
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
  return entry.isDirectory() || (entry.isSymbolicLink() && isPlace(join(parent, entry.name)));
}

function isPlace(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
