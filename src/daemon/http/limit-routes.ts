/** The route for usage limits. */
import { optional } from "../../lib/values/optional.ts";
import { budgetText, type BudgetState } from "../../limits/budget-check.ts";
import { limitUsers } from "../../limits/limit-users.ts";
import { refusalJson, standingJson } from "../../limits/standing-json.ts";
import { LimitsAnswer, type BudgetUse } from "../../protocol/limits.ts";
import type { FileService } from "../files/file-service.ts";
import { costFrom, limitsFrom, type BudgetWatch } from "../live/budget-watch.ts";
import { route, type Route } from "./route.ts";

export interface LimitRouteParts {
  files: Pick<FileService, "read">;
  budgets: Pick<BudgetWatch, "states">;
}

export function limitRoutes({ files, budgets }: LimitRouteParts): Route[] {
  return [
    route({
      method: "GET",
      path: "/v1/limits",
      perMachine: true,
      summary: "Usage limits of accounts as the agents report them, and your budgets",
      answer: LimitsAnswer,
      run: async () => {
        const { standings, refusals, unknown } = await limitsFrom(files);
        const limits = standings.map(async (standing) => ({
          ...standingJson(standing),
          used_by: await limitUsers(standing, costFrom(files, true)),
        }));
        return {
          limits: await Promise.all(limits),
          refusals: refusals.map(refusalJson),
          budgets: budgets.states.map(useOf),
          unknown: unknown.map(({ agent, hint }) => ({ agent, hint })),
        };
      },
    }),
  ];
}

function useOf(state: BudgetState): BudgetUse {
  return { text: budgetText(state), ...optional("share_percent", state.share), level: state.level };
}
