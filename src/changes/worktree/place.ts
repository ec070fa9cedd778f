/** Where worktrees go: beside the repository, or below the directory that the user's setting `worktrees` names. */
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../lib/fs/directory.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { amuxHome, directoryFrom, resolveHome, type PathEnv } from "../../lib/fs/paths.ts";
import { slugify } from "../../protocol/slug.ts";
import { refused } from "./user-git.ts";

/** `<repository>.worktrees/<branch>`, or `<worktrees>/<repository>/<branch>`. */
export function placeOf(root: string, branch: string, env: PathEnv): string {
  const chosen = chosenDirectory(env);
  const name = slugify(branch) || "worktree";
  if (chosen === undefined) return join(dirname(root), `${basename(root)}.worktrees`, name);
  return join(chosen, basename(root), name);
}

/** Only the user's own settings count: a project's would choose where files go on this machine. */
function chosenDirectory(env: PathEnv): string | undefined {
  const path = join(directoryFrom(env, "AGENT_MUX_CONFIG_DIR") ?? amuxHome(env), "config.json");
  try {
    const chosen = asText(asObject(JSON.parse(readText(path)))?.["worktrees"]);
    return chosen === undefined ? undefined : resolveHome(env, chosen);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw refused(`${path} cannot be used: ${(error as Error).message}`, error);
  }
}
