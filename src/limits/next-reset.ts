/** The reset after which an agent's account can be used again, from what its status line and its refusals said. */
import type { LimitReading } from "../core/limits.ts";
import { recordedLimits } from "./limits-file.ts";
import { limitStandings } from "./standing.ts";

const FULL_PERCENT = 100;

/** In milliseconds since the epoch; undefined if none is known. */
export function nextReset(home: string, agent: string, now: number): number | undefined {
  return resetIn(
    recordedLimits(home, now).filter((reading) => reading.agent === agent && reading.at <= now),
    now,
  );
}

/** The last used account's: that of a refusal, else the latest of its full windows, else the nearest. */
function resetIn(readings: readonly LimitReading[], now: number): number | undefined {
  const newest = readings.toSorted((a, b) => b.at - a.at);
  const account = newest.find((reading) => reading.account !== undefined)?.account;
  const own = newest.filter((reading) => (reading.account ?? account) === account);
  const ahead = limitStandings(own, now).flatMap(({ resetsAt, usedPercent, at }) =>
    resetsAt === undefined || resetsAt <= now ? [] : [{ resetsAt, usedPercent, at }],
  );
  const full = ahead.filter(({ usedPercent }) => usedPercent >= FULL_PERCENT);
  const refused = own.find(({ refusal }) => (refusal?.resetsAt ?? 0) > now);
  // Figures after the refusal in which nothing is used up: the limit was lifted.
  const isLifted = full.length === 0 && ahead.some(({ at }) => at > (refused?.at ?? Infinity));
  if (refused !== undefined && !isLifted) return refused.refusal!.resetsAt;
  const resets = (full.length > 0 ? full : ahead).map(({ resetsAt }) => resetsAt);
  if (resets.length === 0) return undefined;
  return full.length > 0 ? Math.max(...resets) : Math.min(...resets);
}
