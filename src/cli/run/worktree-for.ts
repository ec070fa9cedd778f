/** `amux run --worktree`: the worktree of the new session, and what to say about it. */
import { addWorktree, type AddedWorktree } from "../../changes/worktree/add-worktree.ts";
import { runSetUp } from "../../changes/worktree/set-up.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { oneLine } from "../../lib/text/text.ts";
import { WorktreeRequest } from "../../protocol/daemon-api.ts";
import { usageError, type Invocation } from "../command.ts";
import type { Output } from "../output.ts";

/** Undefined without the option. */
export function worktreeAsked(invocation: Invocation): WorktreeRequest | undefined {
  const branch = invocation.text("worktree");
  if (branch === undefined) return undefined;
  if (invocation.text("session") !== undefined || invocation.text("fork") !== undefined)
    throw usageError(
      "--worktree is for a new session: agents find an earlier one only in its own directory. Start one there, and let it read the earlier one: amux run --worktree claude 'Read the session with amux show <id> and …'",
    );
  const asked = WorktreeRequest.safeParse(branch === "" ? {} : { branch });
  if (asked.success) return asked.data;
  throw usageError(`"${oneLine(branch)}" cannot be a branch name: leave out spaces and ~ ^ : ? * [ \\.`);
}

/** Creates it, if asked for. */
export async function worktreeFor(invocation: Invocation, cwd: string): Promise<AddedWorktree | undefined> {
  const request = worktreeAsked(invocation);
  if (request === undefined) return undefined;
  const { output } = invocation;
  output.progress("creating the worktree");
  const added = await addWorktree(cwd, request, processEnv()).finally(() => output.clearProgress());
  noteWorktree(added, output);
  return added;
}

export function noteWorktree(
  { path, branch, notes }: Pick<AddedWorktree, "path" | "branch" | "notes">,
  output: Output,
): void {
  output.note(`Worktree ${oneLine(path)}, branch ${oneLine(branch)}.`);
  for (const note of notes) output.note(oneLine(note));
}

/** For JSON. */
export function madeFor(worktree: Pick<AddedWorktree, "path" | "branch"> | undefined): {
  worktree?: string;
  branch?: string;
} {
  return worktree === undefined ? {} : { worktree: worktree.path, branch: worktree.branch };
}

/** For a run without a session. */
export async function setUpHere(worktree: AddedWorktree, output: Output): Promise<void> {
  output.note(`Set-up: ${oneLine(worktree.setup ?? "")}`, "dim");
  const code = await runSetUp(worktree, process.env);
  if (code !== 0) output.note(`amux: the set-up command failed (${code}).`);
}
