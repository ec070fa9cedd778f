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
  const project = given.project ?? directoryFrom(env, "AGENT_MUX_PROJECT_DIR") ?? projectAbove(cwd, global);
  return { global, project };
}

/** The user's own directory lies above every project in their home; it is nobody's project. */
function projectAbove(cwd: string, global: string): string | undefined {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const candidate = join(directory, PROJECT_DIRECTORY);
    if (candidate !== global && statSync(candidate, { throwIfNoEntry: false })?.isDirectory()) return candidate;
    if (dirname(directory) === directory) return undefined;
  }
}

/** Where a project's directory is made when it has none yet. */
export function newProjectPlace(cwd: string): string {
  return join(cwd, PROJECT_DIRECTORY);
}
