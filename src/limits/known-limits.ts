/** The limits that this machine knows: what agents told their status line, and what is in their own files. */
import type { LimitReading, LimitRefused } from "../core/limits.ts";
import { optional } from "../lib/values/optional.ts";
import { isSameRefusal, keepReadings, recordedLimits } from "./limits-file.ts";
import { limitStandings, type LimitStanding } from "./standing.ts";

/** The shortest window. */
const UNKNOWN_RESET_MS = 5 * 3_600_000;

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
  /** Requests that a limit refused, if it still holds. */
  refusals: LimitRefused[];
  /** Agents without any. */
  unknown: LimitHint[];
}

/** Keeps what is new in the agents' files: they read only their newest ones. */
export function knownLimits(home: string, { readings, hints }: AgentReadings, now: number): KnownLimits {
  const recorded = recordedLimits(home, now);
  keepReadings(home, readings, now);
  const all = [...recorded, ...readings];
  const standings = limitStandings(all, now);
  const known = new Set(standings.map(({ agent }) => agent));
  return { standings, refusals: refusalsIn(all, now), unknown: hints.filter(({ agent }) => !known.has(agent)) };
}

/** Those whose limit is not reset yet, newest first; without a known reset, those of the last hours. */
function refusalsIn(readings: readonly LimitReading[], now: number): LimitRefused[] {
  const valid = readings.filter(
    ({ refusal, at }) => refusal !== undefined && at <= now && (refusal.resetsAt ?? at + UNKNOWN_RESET_MS) > now,
  );
  const found: LimitReading[] = [];
  for (const reading of valid.sort((a, b) => b.at - a.at)) {
    const known = found.find(
      (other) =>
        other.agent === reading.agent &&
        (other.account ?? reading.account) === (reading.account ?? other.account) &&
        isSameRefusal(other, { ...reading.refusal, at: reading.at }),
    );
    // A hook names the account, and a transcript the exact time.
    if (known === undefined) found.push({ ...reading });
    else if (reading.account !== undefined) known.account = reading.account;
  }
  return found.map(({ at, agent, account, session, refusal }) => ({
    at,
    agent,
    ...optional("account", account),
    ...optional("session", session),
    ...refusal,
  }));
}
