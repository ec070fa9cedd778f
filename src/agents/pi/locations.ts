/** The file locations of Pi. */
import { join } from "node:path";
import { asText } from "../../lib/json/fields.ts";
import { directoryFrom, resolveHome } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";
import { objectIn } from "../../lib/json/json-file.ts";

/** `~/.pi/agent`, or PI_CODING_AGENT_DIR. */
export function agentDir(env: AgentEnv): string {
  return directoryFrom(env, "PI_CODING_AGENT_DIR") ?? ownAgentDir(env);
}

function ownAgentDir(env: AgentEnv): string {
  return join(env.home, ".pi", "agent");
}

/** Whether only Pi writes there. A custom directory may be shared with omp. */
export function isOwnDirectory(env: AgentEnv, root: string): boolean {
  return root === ownAgentDir(env) || root === join(ownAgentDir(env), "sessions");
}

/** All possible session directories, the one Pi writes to first. */
export function sessionRoots(env: AgentEnv): string[] {
  const agent = agentDir(env);
  const chosen = [directoryFrom(env, "PI_CODING_AGENT_SESSION_DIR"), sessionDirSetting(env)];
  // Early builds wrote directly into the agent folder; later ones move these files at startup.
  const roots = [...chosen.filter((root) => root !== undefined), join(agent, "sessions"), agent];
  return [...new Set(roots)];
}

/** The settings in the first of these may name another one. */
export function locations(env: AgentEnv): string[] {
  const chosen = directoryFrom(env, "PI_CODING_AGENT_SESSION_DIR");
  return [agentDir(env), ...(chosen === undefined ? [] : [chosen])];
}

/** A custom directory is flat; Pi's own has a folder per working directory. */
export function sessionDir(env: AgentEnv, cwd?: string): string {
  const own = join(agentDir(env), "sessions");
  const today = sessionRoots(env)[0]!;
  return cwd === undefined || today !== own ? today : join(own, bucketOf(cwd));
}

/** `/home/me/my app` -> `--home-me-my app--`. Not reversible: `a-b` and `a/b` share a folder. */
export function bucketOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

export function isBucket(name: string): boolean {
  return name.startsWith("--") && name.endsWith("--");
}

function sessionDirSetting(env: AgentEnv): string | undefined {
  const set = asText(objectIn(join(agentDir(env), "settings.json"))?.["sessionDir"]);
  return set === undefined ? undefined : resolveHome(env, set);
}
