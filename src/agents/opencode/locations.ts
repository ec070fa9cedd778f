/** The file locations of OpenCode: databases since 1.2, two generations of JSON trees before. */
import { isAbsolute, join } from "node:path";
import { entriesOf, type OnProblem } from "../../lib/fs/directory.ts";
import { dataHome, directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/**
 * OpenCode resolves XDG paths on every platform; its documentation names the platform's data directory. On Linux they
 * are the same.
 */
export function dataDirs(env: AgentEnv): string[] {
  const real = directoryFrom(env, "XDG_DATA_HOME") ?? join(env.home, ".local", "share");
  return [...new Set([real, dataHome(env)])].map((directory) => join(directory, "opencode"));
}

export function dataDir(env: AgentEnv): string {
  return dataDirs(env)[0]!;
}

/** Every database, the active one first: `opencode.db`, and `opencode-<channel>.db` of other release channels. */
export function databasePaths(env: AgentEnv, onProblem: OnProblem): string[] {
  const files: string[] = [];
  const named = namedDatabase(env);
  if (named !== undefined) files.push(named);
  for (const directory of dataDirs(env)) {
    const names = entriesOf(directory, onProblem)
      .map((entry) => entry.name)
      .filter((name) => name.startsWith("opencode") && name.endsWith(".db"));
    // "opencode.db" sorts after "opencode-beta.db", but takes precedence.
    names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    files.push(...names.map((name) => join(directory, name)));
  }
  return [...new Set(files)];
}

/** The path in `OPENCODE_DB`; a relative one is relative to the data directory. */
function namedDatabase(env: AgentEnv): string | undefined {
  const name = env.vars["OPENCODE_DB"];
  if (name === undefined || name === "" || name === ":memory:") return undefined;
  return isAbsolute(name) ? name : join(dataDir(env), name);
}

/** Directories to scan and watch. */
export function roots(env: AgentEnv): string[] {
  const named = namedDatabase(env);
  return [...(named === undefined ? [] : [named]), ...dataDirs(env)];
}

export function locations(env: AgentEnv): string[] {
  return roots(env);
}
