/**
 * The file locations of omp. A store has a data folder (sessions, archive) and a state folder (registry of files
 * elsewhere); without XDG variables both are the agent folder.
 */
import { existsSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { entriesOf, type OnProblem } from "../../lib/fs/directory.ts";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

export interface Store {
  data: string;
  state: string;
  /** Pi uses this folder too. */
  sharedWithPi?: true;
}

/** All stores: the default one in all its possible locations, and one per profile. */
export function stores(env: AgentEnv, onProblem?: OnProblem): Store[] {
  const config = configDir(env);
  const override = directoryFrom(env, "PI_CODING_AGENT_DIR");
  const xdgData = xdgDir(env, "XDG_DATA_HOME");
  const xdgState = xdgDir(env, "XDG_STATE_HOME");
  const found: Store[] = [];
  if (override !== undefined) found.push({ ...plain(override), sharedWithPi: true });
  else {
    // XDG paths omit the `agent` folder.
    if (xdgData !== undefined) found.push({ data: xdgData, state: xdgState ?? join(config, "agent") });
    found.push(plain(join(config, "agent")));
  }
  for (const profile of foldersIn(join(config, "profiles"), onProblem)) {
    found.push(plain(join(config, "profiles", profile, "agent")));
  }
  if (xdgData !== undefined) {
    for (const profile of foldersIn(join(xdgData, "profiles"), onProblem)) {
      const data = join(xdgData, "profiles", profile);
      found.push({ data, state: xdgState === undefined ? data : join(xdgState, "profiles", profile) });
    }
  }
  return found;
}

/** The registries of session files elsewhere. */
export function locations(env: AgentEnv): string[] {
  const variable = [
    directoryFrom(env, "PI_CODING_AGENT_DIR"),
    xdgDir(env, "XDG_DATA_HOME"),
    xdgDir(env, "XDG_STATE_HOME"),
  ];
  return [configDir(env), ...variable.filter((directory) => directory !== undefined)];
}

export function roots(env: AgentEnv): string[] {
  return stores(env).flatMap((store) => [sessionsIn(store), archiveIn(store)]);
}

export function sessionsIn(store: Store): string {
  return join(store.data, "sessions");
}

export function archiveIn(store: Store): string {
  return join(store.data, "archive", "sessions");
}

/** Where the active profile (OMP_PROFILE) stores the sessions of a directory. */
export function sessionDir(env: AgentEnv, cwd?: string): string {
  const sessions = join(dataDirToday(env), "sessions");
  return cwd === undefined ? sessions : join(sessions, bucketOf(env, cwd));
}

/** omp uses XDG only if the folder already exists, separately for each profile. */
function dataDirToday(env: AgentEnv): string {
  const named = env.vars["OMP_PROFILE"] ?? env.vars["PI_PROFILE"] ?? "";
  const profile = named === "" || named === "default" ? [] : ["profiles", named];
  const override = directoryFrom(env, "PI_CODING_AGENT_DIR");
  if (profile.length === 0 && override !== undefined) return override;
  const xdgData = xdgDir(env, "XDG_DATA_HOME");
  const inXdg = xdgData === undefined ? undefined : join(xdgData, ...profile);
  return inXdg !== undefined && existsSync(inXdg) ? inXdg : join(configDir(env), ...profile, "agent");
}

/** `-dev-shop` in home, `-tmp-x` in the temporary folder, `--srv-shop--` elsewhere. */
function bucketOf(env: AgentEnv, cwd: string): string {
  const below = (root: string): string | undefined => {
    const path = relative(root, cwd);
    return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path) ? undefined : path;
  };
  const flat = (path: string): string => path.replace(/[/\\:]/g, "-");
  const inTemp = below(directoryFrom(env, "TMPDIR") ?? "/tmp");
  if (inTemp !== undefined) return inTemp === "" ? "-tmp" : `-tmp-${flat(inTemp)}`;
  const inHome = below(env.home);
  return inHome === undefined ? `--${flat(cwd.replace(/^[/\\]/, ""))}--` : `-${flat(inHome)}`;
}

/** A current bucket, one of early versions (`--<path>--`), or of 17.2.5 to 17.2.8 (`<scope>-<name>-<sha256>`). */
export function isBucket(name: string): boolean {
  return name.startsWith("-") || /^(?:home|tmp|abs)-.+-[0-9a-f]{64}$/.test(name);
}

export function configDir(env: AgentEnv): string {
  const named = env.vars["PI_CONFIG_DIR"];
  return join(env.home, named === undefined || named === "" ? ".omp" : named);
}

function xdgDir(env: AgentEnv, variable: string): string | undefined {
  const base = directoryFrom(env, variable);
  return base === undefined ? undefined : join(base, "omp");
}

function plain(agentDir: string): Store {
  return { data: agentDir, state: agentDir };
}

function foldersIn(directory: string, onProblem: OnProblem | undefined): string[] {
  return entriesOf(directory, onProblem)
    .filter((entry) => !entry.isFile())
    .map(({ name }) => name)
    .sort();
}
