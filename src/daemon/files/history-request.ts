/** Queries about past sessions. Plain data that crosses processes. */
import type { ChangesOptions, ChangesSubject } from "../../changes/diff/subject.ts";
import type { WatchedSession } from "../../changes/conflict/radar.ts";
import type { SessionReference } from "../../core/diff.ts";
import type { ExportFormat } from "../../history/export/export.ts";
import type { Sender } from "../../changes/review/review-file.ts";
import type { Outcome } from "../../changes/review/reviews.ts";
import type { ReviewChange, ReviewSend } from "../../protocol/review.ts";
import type { SnapshotSecrets } from "./share-snapshot.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { CostExplanationOptions, SessionListOptions, SessionQuery } from "../../history/options.ts";

export type HistoryRequest =
  | { kind: "list"; agent?: string; options: Omit<SessionListOptions, "onProgress"> }
  | { kind: "search"; query: Omit<SessionQuery, "onProgress"> }
  /** `titled` adds the titles of sessions, where they are a grouping. */
  | {
      kind: "cost";
      options: Omit<CostExplanationOptions, "onProgress">;
      explain: boolean;
      csv?: boolean;
      titled?: boolean;
    }
  /** How far the searches are that are being answered. */
  | { kind: "progress" }
  | { kind: "facets"; query: Omit<SessionQuery, "onProgress"> }
  | { kind: "overview"; options: OverviewOptions }
  /** Models with their prices, the user's own included. */
  | { kind: "models" }
  /** Reads every session, and reports what was found. */
  | { kind: "doctor" }
  /** Usage limits of accounts. */
  | { kind: "limits" }
  | { kind: "diff"; a: SessionReference; b: SessionReference }
  /** What a session changed in its repository. */
  | { kind: "changes"; subject: ChangesSubject; options: ChangesOptions }
  /** Which running sessions edit the same file. */
  | { kind: "conflicts"; sessions: readonly WatchedSession[] }
  | TranscriptRequest
  /** Copies a session up to a message, or all of it; returns the copy's name. */
  | { kind: "fork"; session: SessionReference; message?: number; scratch: string }
  /** Puts the files of a session back that only the vault has; answers how many. */
  | { kind: "restore"; session: SessionReference }
  /** The last messages. */
  | { kind: "ending"; session: SessionReference }
  /** Looks at their projects and records what happened there; answers their state. */
  | { kind: "projects"; sessions: readonly SessionView[] }
  | { kind: "reviews" }
  | ReviewRequest
  | { kind: "take-comments"; ids: readonly string[]; wish: ReviewSend; sender: Sender }
  | {
      kind: "settle-comments";
      ids: readonly string[];
      delivery: string;
      outcome?: Outcome;
    }
  /** Writes the redacted page of a session to a file. */
  | { kind: "share"; session: SessionReference; file: string; takeUnsure: boolean; secrets: SnapshotSecrets }
  | { kind: "export"; session: SessionReference; format: ExportFormat; limit?: number };

export interface OverviewOptions {
  /** From when something counts as new. */
  since: Date;
  /** How many days of activity to report. */
  days: number;
  /** IANA name of the time zone; the local one by default. */
  timeZone?: string;
}

export interface TranscriptRequest {
  kind: "transcript";
  session: SessionReference;
  from: number;
  limit: number;
  /** Whether to include the sub-agents' transcripts. */
  subagents: boolean;
}

/** A session's review, after a change if one is given. */
export interface ReviewRequest {
  kind: "review";
  ids: readonly string[];
  /** Of a terminal; of a conversation it is read. */
  described?: { title: string; cwd: string };
  session?: SessionReference;
  change?: ReviewChange;
}
