/** Whose changes are asked for, and which of them. Plain data that crosses processes. */
import type { SessionReference } from "../../core/diff.ts";

/** A conversation, a terminal session, or both. */
export interface ChangesSubject {
  session?: SessionReference;
  /** The terminal session's directory and times, if there is one. */
  terminal?: { id: string; cwd: string; startedAt?: string; endedAt?: string; isRunning: boolean };
}

export interface ChangesOptions {
  /** Only what is staged, compared with the last commit. */
  staged?: boolean;
  /** Only what is committed. */
  committed?: boolean;
  /** Only hunks that the user has not looked at yet. */
  sinceLook?: boolean;
  /** Only hunks that this session made. */
  mine?: boolean;
  /** Files or directories. */
  paths?: readonly string[];
  /** Relative paths are of this directory if it is in the repository, otherwise of the repository's root. */
  pathsFrom?: string;
  /** With lines; without, a summary of files. Default: true if `paths` are given. */
  hunks?: boolean;
}

/** Under which the user's last look is kept. */
export function lookKey({ session, terminal }: ChangesSubject): string {
  return session === undefined ? (terminal?.id ?? "") : `${session.agent}:${session.sessionId}`;
}
