/** Completes a directory path for launching. */
import { directoryCompletions, isExistingDirectory } from "../../lib/fs/complete-directory.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";
import type { SessionStore } from "../store/store.ts";

const MAX_ANSWERS = 50;

/** Directories with the typed prefix, in the typed form; recent directories for an empty one. */
export function completeDirectory(env: PathEnv, store: SessionStore, typed: string): string[] {
  if (typed === "") return recentPlaces(env, store);
  const { parent, names } = directoryCompletions(env, typed);
  return names.slice(0, MAX_ANSWERS).map((name) => `${parent === "" ? "~/" : parent}${name}`);
}

/** Newest first, each once, if they exist. */
function recentPlaces(env: PathEnv, store: SessionStore): string[] {
  const places = new Set<string>();
  for (const { cwd, peer } of store.list()) {
    if (places.size === MAX_ANSWERS) break;
    if (peer === undefined && !places.has(cwd) && isExistingDirectory(cwd)) places.add(cwd);
  }
  return [...places].map((place) => homely(env, place));
}

function homely({ home }: PathEnv, path: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
