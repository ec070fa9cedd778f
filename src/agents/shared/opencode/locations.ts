/** The file locations of OpenCode and its kin: databases since 1.2, two generations of JSON trees before. */
import { isAbsolute, join } from "node:path";
import { entriesOf, type OnProblem } from "../../../lib/fs/directory.ts";
import { dataHome, directoryFrom } from "../../../lib/fs/paths.ts";
import type { AgentEnv } from "../../adapter.ts";
import { type Product, variable } from "./product.ts";

/**
 * OpenCode resolves XDG paths on every platform; its documentation names the platform's data directory. On Linux they
 * are the same.
 */
export function dataDirs({ name }: Product, env: AgentEnv): string[] {
  const real = directoryFrom(env, "XDG_DATA_HOME") ?? join(env.home, ".local", "share");
  return [...new Set([real, dataHome(env)])].map((directory) => join(directory, name));
}

export function dataDir(product: Product, env: AgentEnv): string {
  return dataDirs(product, env)[0]!;
}

/** Every database, the active one first: `opencode.db`, and `opencode-<channel>.db` of other release channels. */
export function databasePaths(product: Product, env: AgentEnv, onProblem: OnProblem): string[] {
  const files: string[] = [];
  const named = namedDatabase(product, env);
  if (named !== undefined) files.push(named);
  for (const directory of dataDirs(product, env)) {
    const names = entriesOf(directory, onProblem)
      .map((entry) => entry.name)
      .filter((name) => name.startsWith(product.name) && name.endsWith(".db"));
    // "opencode.db" sorts after "opencode-beta.db", but takes precedence.
    names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    files.push(...names.map((name) => join(directory, name)));
  }
  return [...new Set(files)];
}

/** The path in `OPENCODE_DB`; a relative one is relative to the data directory. */
function namedDatabase(product: Product, env: AgentEnv): string | undefined {
  const name = env.vars[variable(product, "DB")];
  if (name === undefined || name === "" || name === ":memory:") return undefined;
  return isAbsolute(name) ? name : join(dataDir(product, env), name);
}

/** Directories to scan and watch. */
export function roots(product: Product, env: AgentEnv): string[] {
  const named = namedDatabase(product, env);
  return [...(named === undefined ? [] : [named]), ...dataDirs(product, env)];
}
