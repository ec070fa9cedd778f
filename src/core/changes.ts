/** What a session changed in a repository, hunk by hunk, and which tool call of which session made each hunk. */
import type { AgentName } from "./session.ts";

/**
 * How sure an attribution is. "proved": a recorded edit's old and new text match at this place, and the text is neither short nor
 * repeated. "near": a session edited the same file at about that time. "none": no known session.
 */
export type EvidenceTier = "proved" | "near" | "none";

/** The tool call that made a change, as far as it is known. */
export interface ChangeOrigin {
  tier: EvidenceTier;
  agent?: AgentName;
  sessionId?: string;
  sessionTitle?: string;
  /** Index of the message in the transcript. */
  messageIndex?: number;
  toolCallId?: string;
  /** The sub-agent inside the session that made it; `messageIndex` is then the message that started the sub-agent. */
  subagent?: string;
  /** The machine whose session it is, if not this one. */
  machine?: string;
  /** The session whose sub-agent `sessionId` is. */
  parentSessionId?: string;
  at?: string;
  /** One sentence: why this tier. */
  reason: string;
}

export interface ChangeLine {
  kind: "context" | "added" | "removed";
  text: string;
  oldLine?: number;
  newLine?: number;
}

export interface ChangeHunk {
  /** A hash of its path and changed lines: the same change has the same id, wherever it moved. */
  id?: string;
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: ChangeLine[];
  /** Of most of its changed lines. */
  origin: ChangeOrigin;
  /** Only if its changed lines have several origins. Lines outside of all ranges are context. */
  ranges?: ChangeRange[];
}

/** Changed lines of a hunk with one origin. */
export interface ChangeRange {
  /** Indexes into the hunk's `lines`; `end` is not part of it. */
  start: number;
  end: number;
  origin: ChangeOrigin;
}

export interface ChangedFile {
  /** Relative to the repository's root. */
  path: string;
  /** Its former path, if it was renamed. */
  oldPath?: string;
  state: "added" | "modified" | "deleted" | "renamed" | "typechange" | "untracked";
  isBinary: boolean;
  added: number;
  removed: number;
  /** Absent in a summary, and for binary or too large files. */
  hunks?: ChangeHunk[];
  /** Why there are no hunks. */
  omitted?: string;
}

export interface SessionChanges {
  root: string;
  /** The commit compared with, and how it was chosen. */
  base: { commit: string; chosen: "recorded" | "merge-base" | "head"; sentence: string };
  /** The commit compared up to; absent: the working tree, or the index. */
  end?: string;
  /** When the user last looked. */
  lookedAt?: string;
  /** What was left out or is unusual about the repository, one sentence each. */
  notes?: string[];
  files: ChangedFile[];
  added: number;
  removed: number;
  /** Set if the list or a file was cut. */
  truncated?: string;
}
