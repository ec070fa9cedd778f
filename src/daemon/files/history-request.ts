/** What can be asked about past sessions. Plain data: it crosses from one thread to another. */
import type { SessionReference } from "../../core/diff.ts";
import type { ExportFormat } from "../../sessions/export/export.ts";
import type { CostExplanationOptions, SessionListOptions, SessionQuery } from "../../sessions/options.ts";

export type HistoryRequest =
  | { kind: "list"; agent?: string; options: Omit<SessionListOptions, "onProgress"> }
  | { kind: "search"; query: Omit<SessionQuery, "onProgress"> }
  | { kind: "cost"; options: Omit<CostExplanationOptions, "onProgress">; explain: boolean }
  | { kind: "diff"; a: SessionReference; b: SessionReference }
  | TranscriptRequest
  /** What was said last. */
  | { kind: "ending"; session: SessionReference }
  | { kind: "export"; session: SessionReference; format: ExportFormat };

export interface TranscriptRequest {
  kind: "transcript";
  session: SessionReference;
  from: number;
  limit: number;
  /** Whether the transcripts of its helpers are part of the answer. */
  subagents: boolean;
}
