/** Worktrees for programs: the same as the commands, for whoever knows which sessions run. */
import type { PathEnv } from "../../lib/fs/paths.ts";
import type { WorktreeRequest } from "../../protocol/daemon-api.ts";
import { addWorktree, type AddedWorktree } from "./add-worktree.ts";
import { chooseWorktree, type SessionPlace } from "./choose-worktree.ts";
import { finishWorktree, type FinishedWorktree, type FinishWay } from "./finish-worktree.ts";
import { listWorktrees, type WorktreeList } from "./list-worktrees.ts";
import { removeWorktree, type RemovedWorktree } from "./remove-worktree.ts";

/** A worktree is named by its branch or a path in it. `cwd` is any directory of the repository. */
export interface Worktrees {
  /** Creates one. Its set-up command, if trusted, is in the answer and was not run. */
  add(cwd: string, request?: WorktreeRequest): Promise<AddedWorktree>;
  list(cwd: string): Promise<WorktreeList>;
  /** Merges and removes it. A conflict throws and changes nothing. */
  finish(cwd: string, worktree: string, options?: { way?: FinishWay; into?: string }): Promise<FinishedWorktree>;
  /** Throws while something would be lost, unless forced. */
  remove(cwd: string, worktree: string, options?: { force?: boolean }): Promise<RemovedWorktree>;
}

export function worktreesFor(env: PathEnv, running: () => SessionPlace[]): Worktrees {
  return {
    add: (cwd, request = {}) => addWorktree(cwd, request, env),
    list: listWorktrees,
    finish: async (cwd, worktree, options) =>
      finishWorktree(await chooseWorktree(cwd, worktree, running(), env.vars), options),
    remove: async (cwd, worktree, options) =>
      removeWorktree(await chooseWorktree(cwd, worktree, running(), env.vars), options),
  };
}
