/** Where the hook program lies: beside the built command, whichever of its files is asking. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { directoryFrom, type PathEnv } from "../fs/paths.ts";

/** In every command and file we write, so that it is known again whatever path it has. */
export const HOOK_SCRIPT = "amux-hook.cjs";

/** Undefined when it was not built. `AMUX_HOOK_PROGRAM` names it where it lies elsewhere. */
export function findHookScript(env: PathEnv): string | undefined {
  const named = directoryFrom(env, "AMUX_HOOK_PROGRAM");
  // The command is split into pieces, which lie one directory further down.
  const near = [import.meta.dirname, dirname(import.meta.dirname)].map((directory) => join(directory, HOOK_SCRIPT));
  return [...(named === undefined ? [] : [named]), ...near].find(
    (path) => basename(path) === HOOK_SCRIPT && existsSync(path),
  );
}
