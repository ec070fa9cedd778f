/** Parameters of the session manager, as specified; additions are optional. */
import type { AgentName } from "../core/session.ts";
import type { OnProgress } from "./catalog.ts";

export interface SessionListOptions {
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
  /** Default 100. */
  limit?: number;
  /** Default `date`. */
  sort?: "date" | "cost" | "turns";
  /** Default `desc`. */
  sortDirection?: "asc" | "desc";
  cwd?: string;
  /**
   * Whether the returned sessions are read whole for exact counts and cost. Left out: yes, as long as they are not
   * too large together; the rest is marked `partial`.
   */
  counts?: boolean;
  onProgress?: OnProgress;
}

export interface SessionQuery {
  text: string;
  agent?: AgentName;
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
  /** Default 50. */
  limit?: number;
  /** Default `relevance`. */
  sort?: "relevance" | "date" | "cost";
  onProgress?: OnProgress;
}

export interface CostAggregationOptions {
  agent?: AgentName;
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
  groupBy?: "agent" | "model" | "day" | "tag";
  onProgress?: OnProgress;
}
