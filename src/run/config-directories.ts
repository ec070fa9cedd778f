/** Paths of amux's settings: in its home, and in a project's directory. */
import { join } from "node:path";
import { isDirectoryAt } from "../lib/fs/directory.ts";
import { amuxHome, directoryFrom, type PathEnv } from "../lib/fs/paths.ts";
import { isUsersOwn, projectDirectories } from "../lib/fs/project-directories.ts";

export type Scope = "global" | "project";

export interface ConfigDirectories {
  readonly global: string;
  /** Undefined if no directory from the working directory upwards has one. */
  readonly project: string | undefined;
}

const PROJECT_DIRECTORY = ".agent-mux";

export function findConfigDirectories(
  env: PathEnv,
  cwd: string,
  given: Partial<ConfigDirectories> = {},
): ConfigDirectories {
  const global = given.global ?? directoryFrom(env, "AGENT_MUX_CONFIG_DIR") ?? amuxHome(env);
  const project = given.project ?? directoryFrom(env, "AGENT_MUX_PROJECT_DIR") ?? projectAbove(cwd, env.home, global);
  return { global, project };
}

/** The user's own directory is above every project in their home; it is not a project. */
function projectAbove(cwd: string, home: string, global: string): string | undefined {
  return projectDirectories(cwd, home)
    .map((directory) => join(directory, PROJECT_DIRECTORY))
    .find((candidate) => candidate !== global && isDirectoryAt(candidate) && isUsersOwn(candidate));
}

/** Where a project's directory is created if it has none. */
export function newProjectDirectory(cwd: string): string {
  return join(cwd, PROJECT_DIRECTORY);
}
