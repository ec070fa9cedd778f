import { agentReadings } from "../agents/account-limits.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { knownLimits, type KnownLimits } from "../limits/known-limits.ts";

export async function localLimits(now = Date.now()): Promise<KnownLimits> {
  const env = processEnv();
  return knownLimits(amuxHome(env), await agentReadings(new AgentRegistry(), env, now), now);
}
