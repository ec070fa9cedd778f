/** Where VS Code keeps its chats: a folder for each workspace, and one for windows without any. */
import { join } from "node:path";
import { configHome, directoryFrom } from "../../lib/fs/paths.ts";
import type { AgentEnv } from "../adapter.ts";

const PRODUCTS = ["Code", "Code - Insiders"];

/** The `User` directories of the editions. */
export function userDirs(env: AgentEnv): string[] {
  const portable = directoryFrom(env, "VSCODE_PORTABLE");
  if (portable !== undefined) return [join(portable, "user-data", "User")];
  const config = env.platform === "darwin" ? join(env.home, "Library", "Application Support") : configHome(env);
  const folder = directoryFrom(env, "VSCODE_APPDATA") ?? config;
  return PRODUCTS.map((product) => join(folder, product, "User"));
}

export function workspacesDir(userDir: string): string {
  return join(userDir, "workspaceStorage");
}

/** Chats of a workspace are in a folder of this name. */
export const CHATS = "chatSessions";

/** Chats of windows without a workspace. */
export function emptyWindowsDir(userDir: string): string {
  return join(userDir, "globalStorage", "emptyWindowChatSessions");
}

export function roots(env: AgentEnv): string[] {
  return userDirs(env).flatMap((userDir) => [workspacesDir(userDir), emptyWindowsDir(userDir)]);
}

/** VS Code itself makes its `User` directories; chats are in these. */
export function locations(env: AgentEnv): string[] {
  return roots(env);
}
