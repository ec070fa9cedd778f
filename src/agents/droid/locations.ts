/** The file locations of Factory Droid. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** `.factory` in the home directory, or in FACTORY_HOME_OVERRIDE. */
export function factoryDir(env: AgentEnv): string {
  return join(directoryFrom(env, "FACTORY_HOME_OVERRIDE") ?? env.home, ".factory");
}

/** A folder per working directory; early versions put sessions directly into it. */
export function sessionsDir(env: AgentEnv): string {
  return join(factoryDir(env), "sessions");
}

export function locations(env: AgentEnv): string[] {
  return [factoryDir(env)];
}

/** `/home/me/my app` -> `-home-me-my app`. Not reversible. */
export function projectFolder(cwd: string): string {
  return cwd.replace(/[/\\:]/g, "-");
}
