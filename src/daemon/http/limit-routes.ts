/** The route for usage limits. */
import { agentReadings } from "../../agents/account-limits.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { recordedLimits } from "../../limits/limits-file.ts";
import { standingJson } from "../../limits/standing-json.ts";
import { limitStandings } from "../../limits/standing.ts";
import { LimitsAnswer } from "../../protocol/limits.ts";
import { route, type Route } from "./route.ts";

export function limitRoutes(registry: AgentRegistry, env: PathEnv): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/limits",
      perMachine: true,
      summary: "Usage limits of accounts, as agents were told them",
      answer: LimitsAnswer,
      run: async () => {
        const now = Date.now();
        const { readings, hints } = await agentReadings(registry, env, now);
        const limits = limitStandings([...recordedLimits(amuxHome(env), now), ...readings], now).map(standingJson);
        const known = new Set(limits.map(({ agent }) => agent));
        return {
          limits,
          unknown: hints.filter(({ agent }) => !known.has(agent)).map(({ agent, hint }) => ({ agent, hint })),
        };
      },
    }),
  ];
}
