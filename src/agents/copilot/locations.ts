/** The file locations of GitHub Copilot CLI. */
import { join } from "node:path";
import { configHome, directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

export function copilotDir(env: AgentEnv): string {
  return directoryFrom(env, "COPILOT_HOME") ?? join(env.home, ".copilot");
}

export function locations(env: AgentEnv): string[] {
  return [copilotDir(env), documentedDir(env)];
}

/** `<id>/events.jsonl` since 0.0.382, `<id>.jsonl` since 0.0.343. */
export function sessionStateDir(env: AgentEnv): string {
  return join(copilotDir(env), "session-state");
}

/** 0.0.340: one document per session. */
export function historyStateDir(env: AgentEnv): string {
  return join(copilotDir(env), "history-session-state");
}

/** The program's own index: prompts, answers and usage per request. */
export function storePath(env: AgentEnv): string {
  return join(copilotDir(env), "session-store.db");
}

/** The documented location; no known version writes there. */
export function documentedDir(env: AgentEnv): string {
  return join(configHome(env), "github-copilot", "sessions");
}
