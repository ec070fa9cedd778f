/** Where Goose keeps its sessions: one database for each user. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

export const DATABASE = "sessions.db";

export function sessionsDir(env: AgentEnv): string {
  return join(dataDir(env), "sessions");
}

export function databasePath(env: AgentEnv): string {
  return join(sessionsDir(env), DATABASE);
}

function dataDir(env: AgentEnv): string {
  const root = directoryFrom(env, "GOOSE_PATH_ROOT");
  if (root !== undefined) return join(root, "data");
  if (env.platform === "win32") {
    const roaming = directoryFrom(env, "APPDATA") ?? join(env.home, "AppData", "Roaming");
    return join(roaming, "Block", "goose", "data");
  }
  return join(directoryFrom(env, "XDG_DATA_HOME") ?? join(env.home, ".local", "share"), "goose");
}

export function locations(env: AgentEnv): string[] {
  return [sessionsDir(env)];
}
