/** What to say about a session's directory that is gone, and how to get it back. */
import { existsSync } from "node:fs";
import { shellWord } from "../lib/text/shell-word.ts";
import { oneLine } from "../lib/text/text.ts";

export function silentDirectory(path: string): string {
  return `The directory ${oneLine(path)} does not answer: its disk, or one that it links to, is not there.`;
}

/** The path may be from an agent's file, so the command to paste is quoted. */
export function missingDirectory(path: string): string {
  const shown = oneLine(path);
  const gone = `The directory ${shown} does not exist.`;
  const [worktree, repository] = /^(.+)\.worktrees\/[^/]+/.exec(path) ?? [];
  if (worktree === undefined || repository === undefined || shown !== path || !existsSync(repository)) return gone;
  const command = `git -C ${shellWord(repository)} worktree add ${shellWord(worktree)}`;
  return `${gone} It may have been a git worktree; ${command} makes a new one there.`;
}
