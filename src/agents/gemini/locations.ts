/** Where Gemini CLI keeps things. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** `GEMINI_CLI_HOME` stands for the home directory, not for `.gemini` in it. */
export function geminiDir(env: AgentEnv): string {
  return join(directoryFrom(env, "GEMINI_CLI_HOME") ?? env.home, ".gemini");
}

export function locations(env: AgentEnv): string[] {
  return [geminiDir(env)];
}

/** One folder for each project, chats in it. */
export function projectsDir(env: AgentEnv): string {
  return join(geminiDir(env), "tmp");
}

/** The documented place; no known version writes there. */
export function documentedDir(env: AgentEnv): string {
  return join(geminiDir(env), "sessions");
}
