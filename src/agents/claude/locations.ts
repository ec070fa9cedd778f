/** Where Claude Code keeps its sessions. */
import { join } from "node:path";
import { configHome, directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** `CLAUDE_CONFIG_DIR` replaces the defaults, as it does for the program itself. */
export function configDirs(env: AgentEnv): string[] {
  const set = directoryFrom(env, "CLAUDE_CONFIG_DIR");
  return set === undefined ? [join(env.home, ".claude"), join(configHome(env), "claude")] : [set];
}

export function projectsDirs(env: AgentEnv): string[] {
  return configDirs(env).map((directory) => join(directory, "projects"));
}

export function locations(env: AgentEnv): string[] {
  return projectsDirs(env);
}

const MAX_ENCODED_LENGTH = 200;

/** The project directory's name for a working directory. It cannot be reversed: a session's cwd comes from its records. */
export function encodeCwd(cwd: string): string {
  const encoded = cwd.replace(/[^A-Za-z0-9]/g, "-");
  if (encoded.length <= MAX_ENCODED_LENGTH) return encoded;
  let hash = 0;
  for (let i = 0; i < cwd.length; i++) hash = (Math.imul(hash, 31) + cwd.charCodeAt(i)) | 0;
  return `${encoded.slice(0, MAX_ENCODED_LENGTH)}-${Math.abs(hash).toString(36)}`;
}
