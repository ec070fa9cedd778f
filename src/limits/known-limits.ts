/** The limits that this machine knows: what agents told their status line, and what is in their own files. */
import type { LimitReading } from "../core/limits.ts";
import { recordedLimits } from "./limits-file.ts";
import { limitStandings, type LimitStanding } from "./standing.ts";

interface AgentReadings {
  readings: LimitReading[];
  /** By agent: how its limits become known. */
  hints: LimitHint[];
}

interface LimitHint {
  agent: string;
  displayName: string;
  hint: string;
}

export interface KnownLimits {
  standings: LimitStanding[];
  /** Agents without any. */
  unknown: LimitHint[];
}

export function knownLimits(home: string, { readings, hints }: AgentReadings, now: number): KnownLimits {
  const standings = limitStandings([...recordedLimits(home, now), ...readings], now);
  const known = new Set(standings.map(({ agent }) => agent));
  return { standings, unknown: hints.filter(({ agent }) => !known.has(agent)) };
}
