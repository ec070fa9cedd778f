/** What `git worktree list --porcelain -z` prints. The first entry is the main checkout. */
import { optional } from "../../lib/values/optional.ts";

export interface WorktreeEntry {
  path: string;
  head?: string;
  /** Short name; undefined if the head is detached. */
  branch?: string;
  isBare: boolean;
  /** Why it is locked; may be empty. */
  locked?: string;
  /** Its directory is gone. */
  prunable?: string;
}

export function parseWorktreeList(text: string): WorktreeEntry[] {
  return text.split("\0\0").flatMap((block): WorktreeEntry[] => {
    const fields = new Map(
      block.split("\0").map((line): [string, string] => {
        const space = line.indexOf(" ");
        return space === -1 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
      }),
    );
    const path = fields.get("worktree");
    if (path === undefined) return [];
    return [
      {
        path,
        ...optional("head", fields.get("HEAD")),
        ...optional("branch", fields.get("branch")?.replace(/^refs\/heads\//, "")),
        isBare: fields.has("bare"),
        ...optional("locked", fields.get("locked")),
        ...optional("prunable", fields.get("prunable")),
      },
    ];
  });
}
