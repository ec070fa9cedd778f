/** The route for usage limits. */
import { agentReadings } from "../../agents/account-limits.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { budgetText, type BudgetState } from "../../limits/budget-check.ts";
import { recordedLimits } from "../../limits/limits-file.ts";
import { standingJson } from "../../limits/standing-json.ts";
import { limitStandings } from "../../limits/standing.ts";
import { LimitsAnswer, type BudgetUse } from "../../protocol/limits.ts";
import type { BudgetWatch } from "../live/budget-watch.ts";
import { route, type Route } from "./route.ts";

export function limitRoutes(registry: AgentRegistry, env: PathEnv, budgets: Pick<BudgetWatch, "states">): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/limits",
      perMachine: true,
      summary: "Usage limits of accounts, as agents report them",
      answer: LimitsAnswer,
      run: async () => {
        const now = Date.now();
        const { readings, hints } = await agentReadings(registry, env, now);
        const limits = limitStandings([...recordedLimits(amuxHome(env), now), ...readings], now).map(standingJson);
        const known = new Set(limits.map(({ agent }) => agent));
        return {
          limits,
          budgets: budgets.states.map(useOf),
          unknown: hints.filter(({ agent }) => !known.has(agent)).map(({ agent, hint }) => ({ agent, hint })),
        };
      },
    }),
  ];
}

function useOf(state: BudgetState): BudgetUse {
  return { text: budgetText(state), ...optional("share_percent", state.share), level: state.level };
}
