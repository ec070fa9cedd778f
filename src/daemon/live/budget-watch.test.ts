import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { readWarnings } from "../../limits/budget-warnings.ts";
import { setBudget } from "../../limits/budgets.ts";
import { BudgetWatch } from "./budget-watch.ts";

it("a budget warns of each step, and stops sessions when it is used up", async () => {
  const home = tempHome().path;
  let totalUsd = 10;
  const watch = new BudgetWatch({
    env: { home, platform: process.platform, vars: { AMUX_HOME: home } },
    files: {
      async *read() {
        yield await Promise.resolve(JSON.stringify({ totalUsd }));
      },
    },
  });
  await watch.look();
  expect(watch.states).toEqual([]);
  setBudget(home, { per: "day", amount: 20, warnPercent: 80, stops: true });
  const warned: string[] = [];
  for (const spent of [10, 17, 22]) {
    totalUsd = spent;
    await watch.look();
    warned.push(...readWarnings(home, Date.now()).map(({ text }) => text));
  }
  expect(warned).toEqual([
    expect.stringContaining("today: $17.00 of $20.00 used"),
    expect.stringContaining("today: $22.00 of $20.00 used"),
  ]);
  expect(watch.states).toMatchObject([{ level: "over", used: 22 }]);
  expect(readFileSync(join(home, "budget-stops.json"), "utf8")).toContain("$22.00 of $20.00");
});

it("two looks at the same time are one", async () => {
  const home = tempHome().path;
  let reads = 0;
  const watch = new BudgetWatch({
    env: { home, platform: process.platform, vars: { AMUX_HOME: home } },
    files: {
      async *read() {
        reads++;
        yield await Promise.resolve(JSON.stringify({ totalUsd: 1 }));
      },
    },
  });
  setBudget(home, { per: "day", amount: 5, warnPercent: 80, stops: false });
  await Promise.all([watch.look(), watch.look()]);
  expect(reads).toBe(1);
});
