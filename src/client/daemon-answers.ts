/** Types of the daemon's requests and answers for every client: dates are texts, and answers of all machines name them. */
import type { CostRequest, CostSummary, DroppedRequest } from "../core/cost.ts";
import type { SessionFacts, SessionMessage, SessionSummary, SubagentTranscript } from "../core/session.ts";
import type { FleetMachine } from "../protocol/fleet.ts";

/** A type with its dates as JSON strings. */
export type Wire<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Wire<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: Wire<Value[Name]> }
      : Value;

export type TranscriptPart = Wire<SessionFacts> & {
  from: number;
  messages: Wire<SessionMessage>[];
  subagents?: Wire<SubagentTranscript>[];
};

export interface Stretch {
  start: number;
  end: number;
}

export interface HistoryHit extends Wire<SessionSummary> {
  matches: {
    messageIndex: number;
    role: string;
    subagent?: string;
    part: string;
    tool?: string;
    snippet: string;
    marks: Stretch[];
  }[];
  titleMarks: Stretch[];
  copies: number;
}

/** Sessions of all machines, each with the machines that hold it. */
export interface FleetListed {
  machines: FleetMachine[];
  partial: boolean;
  sessions: (Wire<SessionSummary> & { machines: string[] })[];
}

/** A cost report over all machines, with each machine's share. */
export interface FleetCostSummary extends CostSummary {
  partial: boolean;
  machines: (FleetMachine &
    Pick<CostSummary, "totalUsd" | "inputTokens" | "outputTokens" | "requestCount" | "sessionCount"> & {
      duplicates: number;
      prices?: CostSummary["prices"];
    })[];
}

/** The requests behind it, each with the machine it counts for and all that hold it. */
export interface FleetCostExplanation {
  summary: FleetCostSummary;
  requests: (Wire<CostRequest> & { machine: string; machines: string[] })[];
  dropped: (Wire<DroppedRequest> & { machines: string[] })[];
}

/** Hits of all machines, and the machines that did not answer. `""` is this one. */
export interface FleetFound {
  machines: FleetMachine[];
  partial: boolean;
  hits: (HistoryHit & { machines: string[] })[];
}

export interface HistoryFilters {
  agent?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  model?: string | undefined;
  /** Comma-separated. */
  tags?: string | undefined;
}

export interface FleetListQuery {
  cwd?: string;
  /** A directory, and those below it. */
  under?: string;
  branch?: string;
  title?: string;
  model_part?: string | undefined;
  starred?: boolean;
  limit?: number;
  sort?: string;
  direction?: string;
  counts?: boolean;
}

/** A session whose changes are meant: by its terminal, or by its conversation on a machine. */
export type ChangesTarget = { id: string } | { unifiedId: string; peer?: string | undefined };

export interface ChangesQuery {
  staged?: boolean | undefined;
  committed?: boolean | undefined;
  since_look?: boolean | undefined;
  mine?: boolean | undefined;
  path?: string;
  hunks?: boolean;
}
