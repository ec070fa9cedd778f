/** The file locations of the Cursor CLI and the Cursor IDE. */
import { join } from "node:path";
import { configHome, directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

export function locations(env: AgentEnv): string[] {
  return [dataDir(env), ideDir(env)];
}

/** The CLI's data directory. */
function dataDir(env: AgentEnv): string {
  return directoryFrom(env, "CURSOR_DATA_DIR") ?? join(env.home, ".cursor");
}

export function chatsDir(env: AgentEnv): string {
  return join(dataDir(env), "chats");
}

/** Sessions opened by other programs through the agent protocol. */
export function acpDir(env: AgentEnv): string {
  return join(dataDir(env), "acp-sessions");
}

export function projectsDir(env: AgentEnv): string {
  return join(dataDir(env), "projects");
}

/** The documented location; no known version writes there. */
export function documentedDir(env: AgentEnv): string {
  return join(dataDir(env), "sessions");
}

/** The IDE's user directory. */
function ideDir(env: AgentEnv): string {
  const config = env.platform === "darwin" ? join(env.home, "Library", "Application Support") : configHome(env);
  return join(config, "Cursor", "User");
}

export function ideDatabase(env: AgentEnv): string {
  return join(ideDir(env), "globalStorage", "state.vscdb");
}

export function workspacesDir(env: AgentEnv): string {
  return join(ideDir(env), "workspaceStorage");
}

/** Chats of a working directory are stored under the MD5 of its path, exactly as the shell gave it. */
export function chatsDirOf(env: AgentEnv, cwd: string): string {
  return join(chatsDir(env), process.getBuiltinModule("node:crypto").createHash("md5").update(cwd).digest("hex"));
}

/**
 * A comparable form of a project directory's name: every separator or replaced character is one dash. Not reversible.
 */
export function slugOf(path: string): string {
  return path.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
}
