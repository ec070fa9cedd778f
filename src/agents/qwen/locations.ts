/** Where Qwen Code keeps things. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** Settings and hooks. */
export function qwenDir(env: AgentEnv): string {
  return directoryFrom(env, "QWEN_HOME") ?? join(env.home, ".qwen");
}

/** One folder per working directory, with its chats. */
export function projectsDir(env: AgentEnv): string {
  return join(directoryFrom(env, "QWEN_RUNTIME_DIR") ?? qwenDir(env), "projects");
}

export function locations(env: AgentEnv): string[] {
  return [projectsDir(env)];
}

export function projectDir(env: AgentEnv, cwd: string): string {
  return join(projectsDir(env), bucketOf(cwd));
}

/** `/home/me/my app` -> `-home-me-my-app`. Not reversible: the records name the directory. */
export function bucketOf(cwd: string): string {
  return cwd.replace(/[^a-zA-Z0-9]/g, "-");
}
