import type { BlameRange } from "../src/changes/blame/blame-report.ts";

export interface Day {
  home: string;
  repo: string;
  clock: number;
  files: Map<string, { text: string; by: string }[]>;
  sessions: { id: string; agent: string }[];
  git(...args: string[]): string;
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

export function makeDay(directory: string): Day;
export function judge(day: Day, rangesOf: (path: string) => readonly BlameRange[]): Judgement;
