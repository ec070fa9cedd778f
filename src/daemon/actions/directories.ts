/** Completes a directory path for launching. */
import { ANSWERING, type AnsweringDirectories } from "../../lib/fs/answering-directories.ts";
import { directoryCompletions, isExistingDirectory } from "../../lib/fs/complete-directory.ts";
import type { PathEnv } from "../../lib/fs/paths.ts";
import type { SessionStore } from "../store/store.ts";

const MAX_ANSWERS = 50;

/** Directories with the typed prefix, in the typed form; recent directories for an empty one. */
export async function completeDirectory(
  env: PathEnv,
  store: Pick<SessionStore, "list">,
  typed: string,
  answering = ANSWERING,
): Promise<string[]> {
  if (typed === "") return recentPlaces(env, store, answering);
  const { parent, names } = await directoryCompletions(env, typed, answering);
  return names.slice(0, MAX_ANSWERS).map((name) => `${parent === "" ? "~/" : parent}${name}`);
}

/** Newest first, each once, if they exist. */
async function recentPlaces(
  env: PathEnv,
  store: Pick<SessionStore, "list">,
  answering: AnsweringDirectories,
): Promise<string[]> {
  const places = new Set<string>();
  for (const { cwd, peer } of store.list()) {
    if (places.size === MAX_ANSWERS) break;
    if (peer === undefined && !places.has(cwd) && (await isExistingDirectory(cwd, answering))) places.add(cwd);
  }
  return [...places].map((place) => homely(env, place));
}

function homely({ home }: PathEnv, path: string): string {
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
