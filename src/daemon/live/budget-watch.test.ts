import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { setBudget } from "../../limits/budgets.ts";
import { BudgetWatch } from "./budget-watch.ts";

it("a budget is notified once at the warning and once when it is used up, and stops sessions then", async () => {
  const home = tempHome().path;
  const env = { home, platform: process.platform, vars: { AMUX_HOME: home } };
  const told: string[] = [];
  let totalUsd = 10;
  const watch = new BudgetWatch({
    env,
    registry: new AgentRegistry(),
    files: {
      async *read() {
        yield await Promise.resolve(JSON.stringify({ totalUsd }));
      },
    },
    notifier: { tell: (title, body) => void told.push(`${title}: ${body}`) },
  });
  await watch.look();
  expect(watch.states).toEqual([]);
  setBudget(home, { per: "day", amount: 20, warnPercent: 80, stops: true });
  for (const spent of [10, 17, 18, 21, 22]) {
    totalUsd = spent;
    await watch.look();
  }
  expect(told).toEqual([
    "A budget is nearly used up: today: $17.00 of $20.00 used",
    "A budget is used up: today: $21.00 of $20.00 used",
  ]);
  expect(watch.states).toMatchObject([{ level: "over", used: 22 }]);
  expect(readFileSync(join(home, "budget-stops.json"), "utf8")).toContain("$22.00 of $20.00");
});
