/** What a search and its thread say to each other. Plain data. */
import type { AgentEnv, SessionHead, SessionSource } from "../../agents/adapter.ts";
import type { SkippedFile } from "../../agents/read-notes.ts";
import type { BytesOfSession } from "./byte-filter.ts";
import type { SessionFilter } from "./filter.ts";
import type { Findings } from "./matcher.ts";
import type { Plan } from "./plan.ts";

/** Given to a thread when it is started. */
export interface ScanOrder {
  plan: Plan;
  filter: SessionFilter;
  env: AgentEnv;
}

export type BatchOrder =
  /** Looks at the bytes of sessions. */
  | { kind: "look"; sessions: readonly BytesOfSession[] }
  /** Reads sessions of one agent. */
  | { kind: "read"; agent: string; sources: readonly SessionSource[] };

/** Sessions by their place in the batch. */
export interface LookAnswer {
  kind: "look";
  /** To be read. */
  candidates: number[];
  /** Not to be told without sessions that are not in the batch. */
  undecided: number[];
  /** Files of these hold titles of other sessions. */
  withTitles: number[];
}

export interface ReadAnswer {
  kind: "read";
  found: { number: number; head: SessionHead; findings: Findings; score: number }[];
  skipped: SkippedFile[];
}

export type BatchAnswer = LookAnswer | ReadAnswer;
