import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { setBudget } from "../../limits/budgets.ts";
import { BudgetWatch } from "./budget-watch.ts";

it("a budget is notified once at the warning and once when it is used up, and stops sessions then", async () => {
  const home = tempHome().path;
  const env = { home, platform: process.platform, vars: { AMUX_HOME: home } };
  const told: string[] = [];
  let totalUsd = 10;
  const watch = new BudgetWatch({
    env,
    files: {
      async *read() {
        yield await Promise.resolve(JSON.stringify({ totalUsd }));
      },
    },
    notifier: { tell: (_id, title, body) => void told.push(`${title}: ${body}`) },
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

it("a budget for each session is one notification, also after a restart of the daemon", async () => {
  const home = tempHome().path;
  const told: string[][] = [];
  let count = 300;
  const watch = (): BudgetWatch =>
    new BudgetWatch({
      env: { home, platform: process.platform, vars: { AMUX_HOME: home } },
      files: {
        async *read() {
          const sessions = Array.from({ length: count }, (_, index) => [
            `claude:${index}`,
            { key: `claude:${index}`, totalUsd: 9 },
          ]);
          const breakdowns = { "/dev": { key: "/dev", totalUsd: 9, breakdowns: Object.fromEntries(sessions) } };
          yield await Promise.resolve(JSON.stringify({ totalUsd: 9, breakdowns }));
        },
      },
      notifier: { tell: (id, title, body) => void told.push([id, title, body]) },
    });
  setBudget(home, { per: "session", amount: 5, warnPercent: 80, stops: false });
  await watch().look();
  expect(told).toEqual([
    [
      expect.stringMatching(/^budget-[0-9a-f]+$/),
      "A budget is used up",
      "session claude:0: $9.00 of $5.00 used, and 299 more",
    ],
  ]);
  await watch().look();
  expect(told).toHaveLength(1);
  count = 301;
  await watch().look();
  expect(told.at(-1)![2]).toBe("session claude:300: $9.00 of $5.00 used");
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
    notifier: undefined,
  });
  setBudget(home, { per: "day", amount: 5, warnPercent: 80, stops: false });
  await Promise.all([watch.look(), watch.look()]);
  expect(reads).toBe(1);
});
