import { agentReadings } from "../agents/account-limits.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import type { AskUsers } from "../limits/limit-users.ts";
import { knownLimits, type KnownLimits } from "../limits/known-limits.ts";
import { titled } from "../history/cost/titled.ts";
import { localSessions } from "./local-sessions.ts";
import { titlesOf } from "./session-titles.ts";

/** What sessions cost on this machine, with their titles. */
export const localCost: AskUsers = async (query) => {
  const client = localSessions();
  const summary = await client.sessions.totalCost(query);
  return { ...summary, breakdowns: titled(summary.breakdowns, query.groupBy, await titlesOf(client, query)) };
};

export async function localLimits(now = Date.now()): Promise<KnownLimits> {
  const env = processEnv();
  return knownLimits(amuxHome(env), await agentReadings(new AgentRegistry(), env, now), now);
}
