import { agentReadings } from "../agents/account-limits.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import type { AskUsers } from "../limits/limit-users.ts";
import { knownLimits, type KnownLimits } from "../limits/known-limits.ts";
import { localSessions } from "./local-sessions.ts";

/** What sessions cost on this machine. */
export const localCost: AskUsers = (query) => localSessions().sessions.totalCost(query);

export async function localLimits(now = Date.now()): Promise<KnownLimits> {
  const env = processEnv();
  return knownLimits(amuxHome(env), await agentReadings(new AgentRegistry(), env, now), now);
}
