import type { BlameRange } from "../src/changes/blame/blame-report.ts";

export interface ScriptedSession {
  id: string;
  agent: string;
  repo: string;
}

export class Day {
  constructor(directory: string);
  home: string;
  repo: string;
  clock: number;
  files: Map<string, { text: string; by: string; was?: string }[]>;
  sessions: ScriptedSession[];
  git(...args: string[]): string;
  session(agent: string): ScriptedSession;
  commit(subject: string): void;
  type(path: string, at: number, remove: number, texts: readonly string[]): void;
  create(session: ScriptedSession, path: string, texts: readonly string[]): void;
  code(size?: number): string[];
}

export interface Judgement {
  lines: number;
  bySessions: number;
  proved: number;
  near: number;
  none: number;
  wrongProved: string[];
  wrongNear: string[];
}

type RangesOf = (target: string) => Promise<readonly BlameRange[]>;

export function judgeLines(day: Day, rangesOf: RangesOf): Promise<Judgement>;
export function judgeRemoved(
  day: Day,
  rangesOf: RangesOf,
): Promise<Pick<Judgement, "lines" | "bySessions" | "proved" | "wrongProved">>;
