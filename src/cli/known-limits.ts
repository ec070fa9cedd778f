/** The limits that this machine knows: what agents passed to their status line, and what is in their own files. */
import { agentReadings, type AgentReadings } from "../agents/account-limits.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { recordedLimits } from "../limits/limits-file.ts";
import { limitStandings, type LimitStanding } from "../limits/standing.ts";

export interface KnownLimits {
  standings: LimitStanding[];
  /** Agents without any, and how they become known. */
  unknown: AgentReadings["hints"];
}

export async function knownLimits(now = Date.now()): Promise<KnownLimits> {
  const env = processEnv();
  const { readings, hints } = await agentReadings(new AgentRegistry(), env, now);
  const standings = limitStandings([...recordedLimits(amuxHome(env), now), ...readings], now);
  const known = new Set(standings.map(({ agent }) => agent));
  return { standings, unknown: hints.filter(({ agent }) => !known.has(agent)) };
}
