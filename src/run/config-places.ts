/** Where amux's own settings lie: in its home, and in the directory a project carries. */
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { amuxHome, directoryFrom, type PathEnv } from "../lib/paths.ts";

export type Scope = "global" | "project";

export interface ConfigPlaces {
  readonly global: string;
  /** Undefined when no directory from the working directory upwards carries one. */
  readonly project: string | undefined;
}

const PROJECT_DIRECTORY = ".agent-mux";

export function findConfigPlaces(env: PathEnv, cwd: string, given: Partial<ConfigPlaces> = {}): ConfigPlaces {
  const global = given.global ?? directoryFrom(env, "AGENT_MUX_CONFIG_DIR") ?? amuxHome(env);
  const project = given.project ?? directoryFrom(env, "AGENT_MUX_PROJECT_DIR") ?? projectAbove(cwd, env.home, global);
  return { global, project };
}

/**
 * The user's own directory lies above every project in their home; it is nobody's project. The way up ends at the home,
 * and a directory of somebody else's, as anyone may leave in /tmp, says nothing here.
 */
function projectAbove(cwd: string, home: string, global: string): string | undefined {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const candidate = join(directory, PROJECT_DIRECTORY);
    if (candidate !== global && isOwnDirectory(candidate)) return candidate;
    if (directory === home || dirname(directory) === directory) return undefined;
  }
}

function isOwnDirectory(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

/** Where a project's directory is made when it has none yet. */
export function newProjectPlace(cwd: string): string {
  return join(cwd, PROJECT_DIRECTORY);
}
