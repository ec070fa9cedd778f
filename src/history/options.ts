/** Parameters of the session manager, as specified; additions are optional. */
import type { AgentName } from "../core/session.ts";
import type { OnProgress } from "./progress.ts";
import type { CostGroup } from "./cost/grouping.ts";
import type { KeepMode } from "./cache/session-cache.ts";

export interface SessionListOptions {
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
  /** Default 100. */
  limit?: number;
  /** Default `date`. */
  sort?: "date" | "cost" | "turns" | "duration";
  /** Default `desc`. */
  sortDirection?: "asc" | "desc";
  /** Only sessions of exactly this directory. */
  cwd?: string;
  /** Only sessions of this directory and those below it. */
  under?: string;
  /** Only sessions of this git branch. */
  branch?: string;
  /** Only sessions whose title has this in it; the case does not matter. */
  title?: string;
  /** Only sessions with a star. */
  starred?: boolean;
  /** Only these, by unified id. */
  only?: ReadonlySet<string>;
  /**
   * Whether the returned sessions are read whole for exact counts and cost. Left out: yes, as long as they are not
   * too large together; the rest is marked `partial`.
   */
  counts?: boolean;
  /**
   * How old what is known of the stores may be, in milliseconds, for whoever asks several things at once of a program that knows
   * something from before. Default 0: it is as it is now.
   */
  staleMs?: number;
  /** See `SessionQuery.index`. */
  index?: KeepMode;
  onProgress?: OnProgress;
  /** Told how many files or stores could not be read for the list, when it is done and there are any. */
  onSkipped?: (files: number) => void;
  /** Told the ids of all sessions that were looked at, whichever are in the list. */
  onIds?: (ids: readonly string[]) => void;
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
  /** Whether each session is read for the places to show (default); otherwise `matches` may be empty. */
  matches?: boolean;
  /**
   * Whether the returned sessions are counted and priced, as in a list. Left out: yes, unless `matches` is false. What is not
   * counted is marked `partial`.
   */
  counts?: boolean;
  /**
   * How old the list of sessions may be, in milliseconds, for programs that search again and again. Default 0: every
   * search looks at the stores anew.
   */
  staleMs?: number;
  /** Whether forks and resumed copies that were found too are only counted (default), or listed each. */
  foldCopies?: boolean;
  /**
   * `use` (default): answers from the index what it knows, reads the rest. `fill`: the same, and afterwards takes some of
   * what was missing into the index. `none`: as if there were no index. The sessions found are the same.
   */
  index?: KeepMode;
  onProgress?: OnProgress;
  /** As in a list; what an index answers for is not looked at again. */
  onSkipped?: (files: number) => void;
}

export interface CostAggregationOptions {
  agent?: AgentName;
  /** Requests from then on: a session that began before counts with what came after. */
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
  /** One grouping gives flat `breakdowns`; each further one is nested in the one before it. */
  groupBy?: CostGroup | readonly CostGroup[];
  /** IANA name of the zone whose days are meant; the local one when left out. */
  timeZone?: string;
  /** Prices every request whose tokens and price are known, also where the agent wrote dollars itself. */
  recompute?: boolean;
  /**
   * How old what is known of the stores may be, in milliseconds, for whoever asks several things at once of a program that knows
   * something from before. Default 0: it is as it is now.
   */
  staleMs?: number;
  /** See `SessionQuery.index`. */
  index?: KeepMode;
  onProgress?: OnProgress;
}

export interface CostExplanationOptions extends CostAggregationOptions {
  /** Only this session of `agent`, and its sub-agents' sessions. */
  sessionId?: string;
}
