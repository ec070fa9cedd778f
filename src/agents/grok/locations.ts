/** The file locations of Grok Build. */
import { join } from "node:path";
import { directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

/** `~/.grok`, or GROK_HOME. */
export function grokDir(env: AgentEnv): string {
  return directoryFrom(env, "GROK_HOME") ?? join(env.home, ".grok");
}

/** A folder per working directory, in it one per session. */
export function sessionsDir(env: AgentEnv): string {
  return join(grokDir(env), "sessions");
}

export function locations(env: AgentEnv): string[] {
  return [grokDir(env)];
}

/** `/home/me/my app` -> `%2Fhome%2Fme%2Fmy%20app`. */
export function projectFolder(cwd: string): string {
  return encodeURIComponent(cwd);
}

/** The working directory in a folder's name. Undefined for folders that are none. */
export function directoryIn(name: string): string | undefined {
  try {
    const path = decodeURIComponent(name);
    return path === name ? undefined : path;
  } catch {
    // Not written by Grok Build.
    return undefined;
  }
}
