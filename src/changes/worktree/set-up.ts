/** Runs a repository's set-up command in a new worktree, before the session's program or by itself. */
import { spawn } from "node:child_process";
import type { AddedWorktree } from "./add-worktree.ts";

/** In the session's own terminal: everybody sees what it does. The shell becomes the program; a failure does not prevent it. */
const BEFORE = `(cd -- "$1" && exec /bin/sh -c "$0" < /dev/null) || printf 'amux: the set-up command failed (%s).\\n' "$?"
shift; exec "$@"`;

/** The words to start instead. A later start of the session has no set-up. */
export function startWithSetUp(
  { setup, path }: Pick<AddedWorktree, "setup" | "path">,
  words: readonly string[],
): string[] {
  return setup === undefined ? [...words] : ["/bin/sh", "-c", BEFORE, setup, path, ...words];
}

/** Without a session: what it prints goes to standard error. Returns its exit code. */
export function runSetUp(
  { setup = "", path }: Pick<AddedWorktree, "setup" | "path">,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", setup], { cwd: path, env, stdio: ["ignore", 2, 2] });
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
