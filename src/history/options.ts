/** Options of the session manager. */
import type { AgentName } from "../core/session.ts";
import type { ListSort } from "./list-order.ts";
import type { OnProgress } from "./progress.ts";
import type { CostGroup } from "./cost/grouping.ts";
import type { CacheMode } from "./cache/session-cache.ts";

export interface SessionListOptions {
  since?: Date;
  until?: Date;
  model?: string;
  /** Only sessions with a model whose id contains this, ignoring case. */
  modelPart?: string;
  tags?: string[];
  /** Default 100. */
  limit?: number;
  /** Default `date`. */
  sort?: ListSort;
  /** Default `desc`, for titles `asc`. */
  sortDirection?: "asc" | "desc";
  /** Only sessions of exactly this directory. */
  cwd?: string;
  /** Only sessions of this directory and those below it. */
  under?: string;
  /** Only sessions of this git branch. */
  branch?: string;
  /** Only sessions whose title contains this, ignoring case. */
  title?: string;
  /** Only sessions with a star. */
  starred?: boolean;
  /** Only these unified ids. */
  only?: ReadonlySet<string>;
  /**
   * Whether the returned sessions are read in full for exact counts and cost. Default: yes, unless they are too large together;
   * the rest is marked `partial`.
   */
  counts?: boolean;
  /**
   * Maximum age of known data about the stores, in milliseconds, for several queries at once to a long-running program. Default
   * 0: always current.
   */
  staleMs?: number;
  /** See `SessionQuery.index`. */
  index?: CacheMode;
  onProgress?: OnProgress;
  /** Called at the end with the number of unreadable files or stores, if any. */
  onSkipped?: (files: number) => void;
  /** Called with the ids of all examined sessions, listed or not. */
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
  /** Whether each session is read for its snippets (default); otherwise `matches` may be empty. */
  matches?: boolean;
  /**
   * Whether the returned sessions are counted and priced, as in a list. Default: yes, unless `matches` is false. Uncounted ones
   * are marked `partial`.
   */
  counts?: boolean;
  /**
   * Maximum age of the session list, in milliseconds, for programs that search repeatedly. Default 0: every search checks the
   * stores.
   */
  staleMs?: number;
  /** Whether matching forks and resumed copies are only counted (default), or listed each. */
  foldCopies?: boolean;
  /**
   * `use` (default): answers from the index where possible and reads the rest. `fill`: also adds some missing sessions to the
   * index afterwards. `none`: ignores the index. The result is the same.
   */
  index?: CacheMode;
  onProgress?: OnProgress;
  /** As in a list; sessions answered from the index are not examined again. */
  onSkipped?: (files: number) => void;
}

export interface CostAggregationOptions {
  agent?: AgentName;
  /** Requests since then: of a session that began earlier, only the later requests count. */
  since?: Date;
  until?: Date;
  model?: string;
  tags?: string[];
  /** One grouping gives flat `breakdowns`; each further one nests in the previous one. */
  groupBy?: CostGroup | readonly CostGroup[];
  /** IANA name of the time zone for days; default: the local one. */
  timeZone?: string;
  /** Prices every request whose tokens and price are known, even if the agent wrote dollars. */
  recompute?: boolean;
  /**
   * Maximum age of known data about the stores, in milliseconds, for several queries at once to a long-running program. Default
   * 0: always current.
   */
  staleMs?: number;
  /** See `SessionQuery.index`. */
  index?: CacheMode;
  onProgress?: OnProgress;
}

export interface CostExplanationOptions extends CostAggregationOptions {
  /** Only this session of `agent`, and its sub-agents' sessions. */
  sessionId?: string;
}
