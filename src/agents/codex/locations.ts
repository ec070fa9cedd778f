/** Where Codex keeps its threads. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

export function codexHome(env: AgentEnv): string {
  return directoryFrom(env, "CODEX_HOME") ?? join(env.home, ".codex");
}

export function sessionsDirectory(env: AgentEnv): string {
  return join(codexHome(env), "sessions");
}

export function archiveDirectory(env: AgentEnv): string {
  return join(codexHome(env), "archived_sessions");
}

export function locations(env: AgentEnv): string[] {
  return [codexHome(env)];
}
