/** What a search and its reading threads say to each other. Plain data. */
import type { AgentEnv, SessionHead, SessionSource } from "../../agents/adapter.ts";
import type { SkippedFile } from "../../agents/read-notes.ts";
import type { SessionFilter } from "./filter.ts";
import type { Findings } from "./matcher.ts";
import type { Plan } from "./plan.ts";

/** Given to a thread when it is started. */
export interface ScanOrder {
  plan: Plan;
  filter: SessionFilter;
  env: AgentEnv;
}

export interface BatchOrder {
  agent: string;
  sources: readonly SessionSource[];
}

/** Sessions by their place in the batch. Those not mentioned are not found. */
export interface BatchAnswer {
  found: { number: number; head: SessionHead; findings: Findings; score: number }[];
  /** Not to be answered without sessions that are not in the batch. */
  undecided: number[];
  skipped: SkippedFile[];
  /** Titles of other sessions were met in files of this agent. */
  hasForeignTitles: boolean;
}
