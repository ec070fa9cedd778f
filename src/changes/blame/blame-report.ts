/** The answer of blame: line ranges with their origin, and what is known about the sessions behind them. */
import type { ChangeOrigin, EvidenceTier } from "../../core/changes.ts";
import type { CostRecord } from "../../core/cost.ts";

export interface BlameRange {
  /** Relative to the root. */
  path: string;
  /** First and last line, counted from 1: in the file as asked for, or before the commit if they were taken away. */
  start: number;
  end: number;
  change: "added" | "removed";
  /** The commit that the lines came with. Absent for lines that are not committed. */
  commit?: string;
  origin: ChangeOrigin;
  /** The tier in words. */
  evidence: string;
  /** What the user said before the edit, in one line. */
  prompt?: string;
  model?: string;
  /** Cost of the turn that the edit was part of, in dollars. */
  turnUsd?: number;
}

export interface BlamedSession {
  unifiedId: string;
  agent: string;
  sessionId: string;
  title: string;
  machine?: string;
  model?: string;
  cost?: CostRecord;
  /** Lines of the answer that are its own. */
  proved: number;
  near: number;
}

export interface BlameReport {
  root: string;
  target: BlameTarget;
  /** Number of lines by tier. */
  lines: Record<EvidenceTier, number>;
  ranges: BlameRange[];
  /** Most lines first. */
  sessions: BlamedSession[];
  /** What limits the answer. */
  notes: string[];
}

export type BlameTarget =
  | { kind: "file"; path: string; start: number; end: number }
  | { kind: "commit"; commit: string; subject: string }
  | { kind: "pull-request"; number: number; base: string; head: string };

export const TIER_WORDS: Readonly<Record<EvidenceTier, string>> = {
  proved: "proved by this edit",
  near: "near in time and file",
  none: "not by a session we know",
};
