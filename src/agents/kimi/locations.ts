/** Where Kimi Code keeps things. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

export function kimiDir(env: AgentEnv): string {
  return directoryFrom(env, "KIMI_CODE_HOME") ?? join(env.home, ".kimi-code");
}

/** One folder per working directory, named after it and a hash; in it one per session. */
export function sessionsDir(env: AgentEnv): string {
  return join(kimiDir(env), "sessions");
}

export function locations(env: AgentEnv): string[] {
  return [kimiDir(env)];
}
