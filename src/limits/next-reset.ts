/** The reset after which a session's account can be used again, from what its agent's status line and refusals said. */
import type { LimitReading } from "../core/limits.ts";
import { recordedLimits } from "./limits-file.ts";
import { limitStandings } from "./standing.ts";

const FULL_PERCENT = 100;

export interface NextReset {
  /** In milliseconds since the epoch; undefined if none is known. */
  at: number | undefined;
  /** Whose limits they are: the agent, and its account if it is known. */
  of: string;
}

/** `session` is the agent's own id. Without one, or if it is new, the account is the last used one. */
export function nextReset(home: string, agent: string, session: string | undefined, now: number): NextReset {
  const newest = recordedLimits(home, now)
    .filter((reading) => reading.agent === agent && reading.at <= now)
    .toSorted((a, b) => b.at - a.at);
  const named = newest.filter((reading) => reading.account !== undefined);
  const told = session === undefined ? undefined : named.find((reading) => reading.session === session);
  const account = (told ?? named[0])?.account;
  const own = newest.filter((reading) => (reading.account ?? account) === account);
  return { at: resetIn(own, now), of: account === undefined ? agent : `${agent} ${account}` };
}

/** That of a refusal, else the latest of the full windows, else the nearest. Newest readings first. */
function resetIn(own: readonly LimitReading[], now: number): number | undefined {
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
