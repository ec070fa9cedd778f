/** The cost view: its chart, the way down to a period's sessions, its table, usage limits and budgets. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { money } from "../../src/web/ui/figures.ts";
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

const at = stage({ history: ["claude", "codex", "gemini", "pi"], prepare: known });
let page: Page;

interface Summary {
  totalUsd: number;
  breakdowns: Record<string, { totalUsd: number; title?: string; requestCount: number }>;
}

beforeAll(async () => {
  page = await at.open();
});

const bars = (): ReturnType<Page["locator"]> => page.locator(".plot-bar");
const rows = (): Promise<string[]> => page.locator(".cost-table tbody th button").allTextContents();

it("a bar shows its figures under the pointer and with the keyboard, and opens its sessions by title", async () => {
  await visit(page, "/cost?time=all");
  await bars().first().waitFor();
  const labels = await bars().evaluateAll((all) => all.map((bar) => bar.getAttribute("aria-label") ?? ""));
  const dearest = labels.findIndex((label) => /: .*, \w+ \$/.test(label));
  expect(labels[dearest]).toMatch(/: \$[\d.]+, \w+ \$/);
  await bars().nth(dearest).hover();
  const tip = page.locator(".plot-tip");
  const [total] = /\$[\d.]+/.exec(labels[dearest]!.split(": ")[1]!)!;
  await tip.getByText(total).first().waitFor();
  await page.locator(".totals").hover();
  await tip.waitFor({ state: "detached" });
  // One stop for the tab key, arrows within.
  await page.locator('.plot-bar[tabindex="0"]').focus();
  await page.keyboard.press("Home");
  for (let index = 0; index < dearest; index++) await page.keyboard.press("ArrowRight");
  await tip.getByText(total).first().waitFor();
  expect(await page.locator('.plot-bar[tabindex="0"]').count()).toBe(1);
  await page.keyboard.press("Enter");
  await page.waitForURL(/at=\d{4}-\d\d.*by=session|by=session.*at=\d{4}/);
  await page.getByRole("button", { name: /^only / }).waitFor();
  await page.locator(".cost-table").waitFor();
  const titles = await rows();
  expect(titles.length).toBeGreaterThan(0);
  const { breakdowns } = await at.demo.ask<Summary>("GET", "/v1/cost?group_by=session");
  const known = new Set(Object.entries(breakdowns).map(([key, { title }]) => title || key));
  expect(titles.filter((title) => !known.has(title))).toEqual([]);
  await page.reload();
  await page.locator('.plot-bar[aria-pressed="true"]').waitFor();
  await page.locator(".cost-table").waitFor();
  expect(await rows()).toEqual(titles);
  await page
    .getByRole("link", { name: `Open ${titles[0]!}` })
    .first()
    .click();
  await page.waitForURL(/\/t\//);
  await page.goBack();
  await page.getByRole("button", { name: /^only / }).click();
  await expect.poll(async () => (await rows()).length).toBeGreaterThan(titles.length);
});

it("bars have the colours of the legend, even if it is known late what the agents are", async () => {
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route("**/v1/capabilities", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${at.demo.origin}/cost?time=all`);
  await page.locator(".plot-bar span").first().waitFor();
  go();
  await page.locator(".legend .swatch").nth(2).waitFor();
  const colours = (): Promise<{ drawn: string[]; named: string[] }> =>
    page.evaluate(() => {
      const read = (selector: string): string[] => [
        ...new Set(
          [...document.querySelectorAll<HTMLElement>(selector)].map((one) => getComputedStyle(one).backgroundColor),
        ),
      ];
      return { drawn: read(".plot-bar span"), named: read(".legend .swatch") };
    });
  const { drawn, named } = await colours();
  expect(drawn.length).toBeGreaterThan(2);
  expect(drawn.filter((colour) => !named.includes(colour))).toEqual([]);
  await page.unroute("**/v1/capabilities");
});

it("the legend leaves agents out of the chart, and the address keeps it", async () => {
  await visit(page, "/cost?time=all");
  const claude = page.locator(".legend").getByRole("button", { name: "claude", exact: true });
  await claude.click();
  await page.waitForURL(/hide=claude/);
  await page.reload();
  await bars().first().waitFor();
  expect(await claude.getAttribute("aria-pressed")).toBe("false");
  const labels = await bars().evaluateAll((all) => all.map((bar) => bar.getAttribute("aria-label") ?? ""));
  expect(labels.filter((label) => label.includes("claude"))).toEqual([]);
  await claude.click();
  await expect.poll(() => new URL(page.url()).searchParams.get("hide")).toBeNull();
});

it("the table sorts by any column, both ways", async () => {
  await visit(page, "/cost?time=all&by=model");
  await page.locator(".cost-table").waitFor();
  const { breakdowns } = await at.demo.ask<Summary>("GET", "/v1/cost?group_by=model");
  const models = Object.entries(breakdowns);
  const head = page.locator(".cost-table thead");
  const first = async (name: string, order: string): Promise<string | undefined> => {
    await head.getByRole("button", { name }).click();
    await head.locator(`th[aria-sort="${order}"]`, { hasText: name }).waitFor();
    return (await rows())[0];
  };
  const most = models.toSorted(([, a], [, b]) => b.requestCount - a.requestCount);
  expect(breakdowns[(await first("requests", "descending"))!]!.requestCount).toBe(most[0]![1].requestCount);
  expect(breakdowns[(await first("requests", "ascending"))!]!.requestCount).toBe(most.at(-1)![1].requestCount);
  expect(await first("model", "ascending")).toBe(models.map(([key]) => key).sort((a, b) => a.localeCompare(b))[0]);
  await page.waitForURL(/sort=name/);
});

it("the cost view shows what is used of each limit and budget, and when it resets", async () => {
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
  expect(await section.textContent()).toMatch(/resets in 2h(?:2\d|30)m · pace 0\.8\d.* · as of \d\d:\d\d/);
  // Another machine's limits are its own, or an error.
  await visit(page, "/cost?machine=elsewhere");
  await section.getByText(/^Usage limits: .*elsewhere/).waitFor();
  expect(await section.getByRole("meter").count()).toBe(0);
});

it("a bar and the sessions behind it are the same time, also far from the machine's time zone", async () => {
  const far = await at.open({ timezoneId: "Pacific/Kiritimati" }, { path: "/cost?time=all" });
  const all = far.locator(".plot-bar");
  await all.first().waitFor();
  const labels = await all.evaluateAll((some) => some.map((bar) => bar.getAttribute("aria-label") ?? ""));
  const priced = [...labels.keys()].filter((index) => /: \$[\d.,]+, /.test(labels[index]!));
  expect(priced.length).toBeGreaterThan(1);
  for (const index of priced) {
    const answered = far.waitForResponse((response) => /since=.*group_by=session/.test(response.url()));
    await all.nth(index).click();
    const { data } = (await (await answered).json()) as { data: Summary };
    expect(labels[index]).toContain(`: ${money(data.totalUsd)}, `);
  }
});

it("the bars keep their place when the limits arrive late", async () => {
  let arrive = (): void => undefined;
  const wanted = new Promise<void>((resolve) => (arrive = resolve));
  await visit(page, "/overview");
  await page.route(/\/v1\/limits/, async (route) => {
    await wanted;
    await route.continue();
  });
  const costs = page.waitForResponse(/\/v1\/cost.*group_by=day/);
  await visit(page, "/cost?time=all");
  await (await costs).finished();
  const place = `document.querySelector(".plot-bar")?.getBoundingClientRect().top`;
  const before = await page.evaluate(place);
  arrive();
  await page.getByRole("region", { name: "Usage limits and budgets" }).waitFor();
  expect([undefined, await page.evaluate(place)]).toContain(before);
  await page.unrouteAll({ behavior: "wait" });
});
