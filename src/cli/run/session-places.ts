/** Where sessions work, and which worktree a reference means. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { conversationOf } from "../../client/conversation.ts";
import { knownSessions } from "../../client/session-list.ts";
import { chooseWorktree, type ChosenWorktree, type SessionPlace } from "../../changes/worktree/choose-worktree.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { workingDirectory } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ArgumentSpec, Invocation, OptionSpec } from "../command.ts";
import { fileSessions } from "../tmux-sessions.ts";
import { findSession } from "../mux/choose.ts";
import { sessionDirectories } from "../mux/session-directories.ts";

export interface Place extends SessionPlace {
  alive: boolean;
  /** Of its conversation. */
  unifiedId?: string;
}

export const WORKTREE_ARGUMENT: ArgumentSpec = {
  name: "worktree",
  description: "its branch, a path in it, or a session that works or worked there",
  completes: "all-sessions",
};

export const DIRECTORY_OPTION: OptionSpec = {
  name: "cwd",
  value: "dir",
  description: "a directory of the repository (default: here)",
};

/** Sessions of this machine, newest first, running and ended; of tmux only running ones. */
export async function placesOfSessions(): Promise<Place[]> {
  const own = knownSessions(sessionDirectories()).map(({ meta, alive }): Place => ({
    ref: meta.id,
    name: meta.name ?? meta.slug ?? meta.id,
    cwd: real(meta.cwd),
    alive,
    ...optional("unifiedId", conversationOf(meta)),
  }));
  const tmux = (await fileSessions()).filter(({ top }) => top.status !== "offline");
  return [...own, ...tmux.map(({ ref, cwd }): Place => ({ ref, name: ref, cwd: real(cwd), alive: true }))];
}

export function repositoryDirectory(given: string | undefined): string {
  const directory = resolve(given ?? workingDirectory());
  return real(directory);
}

/** The worktree that the command's argument means. Refused while a session runs in it. */
export async function meantWorktree(invocation: Invocation): Promise<ChosenWorktree> {
  const [wanted = ""] = invocation.arguments;
  const running = (await placesOfSessions()).filter(({ alive }) => alive);
  const asked = repositoryDirectory(invocation.text("cwd"));
  try {
    return await chooseWorktree(asked, wanted, running, process.env);
  } catch (error) {
    // Not a branch or path of this repository: a session's name, wherever that worked.
    const session =
      error instanceof AgentMuxError && error.code === "VALIDATION_ERROR" ? findSession(wanted) : undefined;
    if (session === undefined) throw error;
    const { cwd } = session.meta;
    return chooseWorktree(real(cwd), real(cwd), running, process.env);
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // It is gone.
  }
}
