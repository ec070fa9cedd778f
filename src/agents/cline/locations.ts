/** The file locations of the Cline CLI. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** `~/.cline/data`, or CLINE_DATA_DIR; CLINE_DIR moves `~/.cline`. */
function dataDir(env: AgentEnv): string {
  return (
    directoryFrom(env, "CLINE_DATA_DIR") ?? join(directoryFrom(env, "CLINE_DIR") ?? join(env.home, ".cline"), "data")
  );
}

/** A folder per session. */
export function sessionsDir(env: AgentEnv): string {
  return directoryFrom(env, "CLINE_SESSION_DATA_DIR") ?? join(dataDir(env), "sessions");
}

/** Exists once a provider was set up. */
export function providersFile(env: AgentEnv): string {
  return join(dataDir(env), "settings", "providers.json");
}

export function locations(env: AgentEnv): string[] {
  return [sessionsDir(env), dataDir(env)];
}
