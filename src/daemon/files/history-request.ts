/** What can be asked about past sessions. Plain data: it crosses from one process to another. */
import type { SessionReference } from "../../core/diff.ts";
import type { ExportFormat } from "../../history/export/export.ts";
import type { CostExplanationOptions, SessionListOptions, SessionQuery } from "../../history/options.ts";

export type HistoryRequest =
  | { kind: "list"; agent?: string; options: Omit<SessionListOptions, "onProgress"> }
  | { kind: "search"; query: Omit<SessionQuery, "onProgress"> }
  | { kind: "cost"; options: Omit<CostExplanationOptions, "onProgress">; explain: boolean; csv?: boolean }
  | { kind: "facets"; query: Omit<SessionQuery, "onProgress"> }
  | { kind: "overview"; options: OverviewOptions }
  | { kind: "diff"; a: SessionReference; b: SessionReference }
  | TranscriptRequest
  /** Makes a copy of a session that ends at a message, or that has all of it; answers what it is. */
  | { kind: "fork"; session: SessionReference; message?: number; scratch: string }
  /** What was said last. */
  | { kind: "ending"; session: SessionReference }
  | { kind: "export"; session: SessionReference; format: ExportFormat; limit?: number };

export interface OverviewOptions {
  /** From when on something counts as new. */
  since: Date;
  /** How many days back activity is told. */
  days: number;
  /** IANA name of the zone whose days are meant; the local one when left out. */
  timeZone?: string;
}

export interface TranscriptRequest {
  kind: "transcript";
  session: SessionReference;
  from: number;
  limit: number;
  /** Whether the transcripts of its helpers are part of the answer. */
  subagents: boolean;
}
