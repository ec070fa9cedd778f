/** What reading every session of an agent showed. */
import type { CostKind } from "./cost.ts";

export interface Examination {
  reports: AgentReport[];
  /** Files that were not read because they are not regular files. */
  refused: string[];
}

/** What the daemon's check of a machine reports. */
export interface MachineReport extends Examination {
  /** Files among amux's reviews that are none; they are left as they are. */
  damagedReviews: { path: string; reason: string }[];
}

export interface AgentReport {
  agent: string;
  displayName: string;
  installed: boolean;
  program?: string;
  version?: string;
  stores: { path: string; exists: boolean }[];
  sessions: number;
  parsed: number;
  /** Files in the store without a conversation. */
  empty: number;
  bytes: number;
  skipped: { path: string; reason: string }[];
  skippedCount: number;
  damagedLines: number;
  damaged: Record<string, number>;
  unknownRecordTypes: Record<string, number>;
  requests: Record<CostKind, number>;
  duplicates: number;
}
