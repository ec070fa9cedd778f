/** Where Gemini CLI keeps things. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** `GEMINI_CLI_HOME` replaces the home directory, not `.gemini` in it. */
export function geminiDir(env: AgentEnv): string {
  return join(directoryFrom(env, "GEMINI_CLI_HOME") ?? env.home, ".gemini");
}

export function locations(env: AgentEnv): string[] {
  return [geminiDir(env)];
}

/** One folder per project, with its chats. */
export function projectsDir(env: AgentEnv): string {
  return join(geminiDir(env), "tmp");
}

/** The documented place; no known version writes there. */
export function documentedDir(env: AgentEnv): string {
  return join(geminiDir(env), "sessions");
}
