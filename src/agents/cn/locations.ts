/** Where Continue keeps things. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

export function continueDir(env: AgentEnv): string {
  return directoryFrom(env, "CONTINUE_GLOBAL_DIR") ?? join(env.home, ".continue");
}

export function sessionsDir(env: AgentEnv): string {
  return join(continueDir(env), "sessions");
}

export function locations(env: AgentEnv): string[] {
  return [continueDir(env)];
}
