/** What to say about a session's directory that is gone, and how to get it back. */
import { existsSync } from "node:fs";

export function missingDirectory(path: string): string {
  const gone = `The directory ${path} does not exist.`;
  const [worktree, repository] = /^(.+)\.worktrees\/[^/]+/.exec(path) ?? [];
  if (repository === undefined || !existsSync(repository)) return gone;
  return `${gone} It was a git worktree; git -C ${repository} worktree add ${worktree} makes it again.`;
}
