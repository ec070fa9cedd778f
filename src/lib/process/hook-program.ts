/** Finds the hook program beside the built command. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { directoryFrom, type PathEnv } from "../fs/paths.ts";

/** Part of every hook command and file we write, so that they are recognised under any path. */
export const HOOK_SCRIPT = "amux-hook.cjs";

/** Undefined if it was not built. `AMUX_HOOK_PROGRAM` overrides its path. */
export function findHookScript(env: PathEnv): string | undefined {
  const named = directoryFrom(env, "AMUX_HOOK_PROGRAM");
  // The command is split into chunks, which are one directory further down.
  const near = [import.meta.dirname, dirname(import.meta.dirname)].map((directory) => join(directory, HOOK_SCRIPT));
  return [...(named === undefined ? [] : [named]), ...near].find(
    (path) => basename(path) === HOOK_SCRIPT && existsSync(path),
  );
}
