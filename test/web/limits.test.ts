/** Usage limits and budgets in the cost view. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stage, visit } from "./support/browser.ts";

const HOUR = 3_600_000;

function known(home: string): void {
  const own = join(home, "../amux");
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const windows = [
    { window: "5h", minutes: 300, usedPercent: 42.4, resetsAt: Date.now() + 2.5 * HOUR },
    { window: "7d", minutes: 10_080, usedPercent: 91, resetsAt: Date.now() + 75 * HOUR },
  ];
  const told = { at: Date.now() - 60_000, agent: "claude", account: "me@example.com", windows };
  writeFileSync(join(own, "limits.jsonl"), `${JSON.stringify(told)}\n`);
  const budgets = [{ per: "5h", amount: 50, warnPercent: 80, stops: false }];
  writeFileSync(join(own, "budgets.json"), JSON.stringify(budgets));
}

const at = stage({ history: ["claude"], prepare: known });

it("the cost view shows what is used of each limit and budget, and when it resets", async () => {
  const page = await at.open();
  const answer = (): Promise<{ budgets: unknown[] }> => at.demo.ask("GET", "/v1/limits");
  await expect.poll(async () => (await answer()).budgets.length).toBe(1);
  await visit(page, "/cost");
  const section = page.getByRole("region", { name: "Usage limits and budgets" });
  await section.waitFor();
  const meters = await section
    .getByRole("meter")
    .evaluateAll((bars) =>
      bars.map((bar) => [bar.getAttribute("aria-label"), bar.getAttribute("aria-valuenow"), bar.className]),
    );
  expect(meters).toEqual([
    ["claude · me@example.com · 5h", "42", "limit-bar ok"],
    ["claude · me@example.com · 7d", "91", "limit-bar warn"],
    ["Budget, 5h limit", "85", "limit-bar warn"],
  ]);
  expect(await section.textContent()).toMatch(/resets in 2h(?:29|30)m · pace 0\.8\d.* · as of \d\d:\d\d/);
  // Another machine's limits are its own, or an error.
  await visit(page, "/cost?machine=elsewhere");
  await section.getByText(/^Usage limits: .*elsewhere/).waitFor();
  expect(await section.getByRole("meter").count()).toBe(0);
});
