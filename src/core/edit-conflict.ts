/** Two running sessions that edited the same file. */

/** "lines": also the same lines. "file": the same file of one checkout. "merge": the same file in two worktrees of a repository. */
export const CONFLICT_LEVELS = ["lines", "file", "merge"] as const;
export type ConflictLevel = (typeof CONFLICT_LEVELS)[number];

export interface EditConflict {
  /** The same for the same two sessions: `conflict-` and a hash. */
  id: string;
  /** The one with the latest edit first. */
  sessions: readonly [string, string];
  level: ConflictLevel;
  /** The first few; relative to the repository, or absolute outside of one. */
  files: string[];
  /** How many there are. */
  count: number;
  /** When both had edited one of them, and the latest edit; in milliseconds since the epoch. */
  since: number;
  latest: number;
}

/** A session's edits older than this are no conflict any more. */
export const CONFLICT_WINDOW_MS = 4 * 3_600_000;
