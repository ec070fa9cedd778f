import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { audit } from "./support/audit.ts";
import { stage, visit } from "./support/browser.ts";
import { report } from "./support/report.ts";

interface Summary {
  agent: string;
  unifiedId: string;
  title: string;
  cost?: { totalUsd: number; kind?: string };
  memory?: true;
}

const at = stage({ history: ["claude", "codex", "gemini", "pi"] });
let page: Page;
let all: Summary[];

beforeAll(async () => {
  page = await at.open();
  const rows = await at.demo.ask<Summary[]>("GET", "/v1/history?limit=5000&counts=true");
  all = rows.filter(({ memory }) => memory !== true);
});

const box = () => page.getByLabel("Filter sessions by words and fields");
const status = () => page.locator(".sessions [role=status]").first().textContent();
const titles = () => page.locator(".cell-title a").allTextContents();
const agents = async (): Promise<string[]> => [
  ...new Set(await page.locator(".sessions-row .agent").allTextContents()),
];

describe("the table of sessions", () => {
  it("lists every session of every agent, past and running, and draws only what is visible", async () => {
    const id = await at.demo.launch("exec sleep 600", { name: "build watcher" });
    await report(at.demo, id, { state: "waiting", message: "Which one?" });
    await page.getByRole("link", { name: "Sessions", exact: true }).click();
    await page.waitForURL(/\/sessions$/);
    await expect.poll(status).toMatch(new RegExp(`^${all.length + 1} sessions · 1 running · \\$`));
    expect(await page.locator(".sessions-row").count()).toBeLessThan(all.length);
    const first = page.locator(".sessions-row[role=row]").nth(1);
    await first.getByText("build watcher").waitFor();
    await first.getByText("waiting").waitFor();
  });

  it("is filtered by words and fields, typed or picked, and keeps them in the URL", async () => {
    await visit(page, "/sessions");
    await box().fill("agent:codex health");
    await expect.poll(agents).toEqual(["codex"]);
    await box().fill("state:running");
    await expect.poll(titles).toEqual(["build watcher"]);
    await box().fill("cost:>0.01 -agent:claude");
    await expect.poll(agents).not.toContain("claude");
    await box().fill("after:sometime");
    await page.getByRole("alert").getByText("after: takes a date").waitFor();
    await box().fill("");
    await page.locator("select[aria-label=Agent]").selectOption("gemini");
    await expect.poll(() => box().inputValue()).toBe("agent:gemini");
    await expect.poll(agents).toEqual(["gemini"]);
    await page.reload();
    await expect.poll(agents).toEqual(["gemini"]);
    await box().fill("no session has this name");
    await page.getByRole("link", { name: "Search messages instead" }).waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await expect.poll(titles).toContain("build watcher");
  });

  it("is sorted by a column, shows the chosen columns, and can be saved as a view", async () => {
    await visit(page, "/sessions");
    await page.getByRole("button", { name: "Cost", exact: true }).click();
    await page.waitForURL(/sort=-cost/);
    const priced = all.filter(({ cost }) => cost !== undefined && cost.kind !== "unknown" && cost.kind !== "unpriced");
    const [dearest] = priced.sort((a, b) => b.cost!.totalUsd - a.cost!.totalUsd);
    await expect.poll(async () => (await titles())[0]).toBe(dearest!.title);
    await page.getByText("Columns", { exact: true }).click();
    await page.getByLabel("Branch", { exact: true }).and(page.locator("[type=checkbox]")).check();
    await page.getByRole("columnheader", { name: "Branch" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".views-menu summary").click();
    await page.getByLabel("Name for this view").fill("Running");
    await page.keyboard.press("Enter");
    await page.getByText("“Running” is one of amux's own views.").waitFor();
    await page.getByLabel("Name for this view").fill("Where the money went");
    await page.keyboard.press("Enter");
    await page.getByText("Where the money went").first().waitFor();
    await visit(page, "/sessions");
    await page.locator(".views-menu summary").click();
    await page.getByRole("button", { name: "Where the money went", exact: true }).click();
    await page.waitForURL(/sort=-cost&columns=.*branch/);
  });

  it("exports, compares, ends and dismisses what is selected", async () => {
    const ids = [
      await at.demo.launch("exec sleep 600", { name: "end me one" }),
      await at.demo.launch("exec sleep 600", { name: "end me two" }),
    ];
    await visit(page, "/sessions?q=end+me");
    await expect.poll(async () => (await titles()).sort()).toEqual(["end me one", "end me two"]);
    await page.getByLabel("Select end me one").click();
    await page.getByLabel("Select end me two").click({ modifiers: ["Shift"] });
    await page.getByRole("toolbar").getByText("2 selected").waitFor();
    await page.getByRole("button", { name: "End 2" }).click();
    await page.getByRole("dialog", { name: "End 2 sessions?" }).getByRole("button", { name: "End" }).click();
    const isAlive = async (id: string): Promise<boolean> =>
      (await at.demo.ask<{ alive: boolean }>("GET", `/v1/sessions/${id}`)).alive;
    for (const id of ids) await expect.poll(() => isAlive(id)).toBe(false);
    await page.getByRole("toolbar").waitFor({ state: "detached" });
    await page.getByLabel("Select all shown sessions").check();
    await page.getByRole("button", { name: "Dismiss 2" }).click();
    await page.getByRole("dialog", { name: "Dismiss 2 sessions?" }).getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("No session matches.").waitFor();
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route("**/v1/sessions/*/restore", async (route) => {
      const response = await route.fetch();
      await held;
      await route.fulfill({ response });
    });
    await page.locator(".notice", { hasText: "Dismissed 2" }).getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await titles()).sort()).toEqual(["end me one", "end me two"]);
    await visit(page, "/sessions?q=agent%3Acodex");
    await expect.poll(agents).toEqual(["codex"]);
    // These have no terminal to remove.
    await page.getByLabel("Select all shown sessions").check();
    await page.getByRole("button", { name: "Export CSV" }).waitFor();
    expect(await page.getByRole("button", { name: /^Dismiss \d/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Clear selection" }).click();
    for (const box of [0, 1]) await page.locator(".sessions-row:not(.head) input").nth(box).click();
    // The answer to an undo leaves what was selected since.
    go();
    await page.unrouteAll({ behavior: "wait" });
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export Markdown" }).click();
    const text = readFileSync((await (await saved).path())!, "utf8");
    for (const title of (await titles()).slice(0, 2)) expect(text).toContain(title);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(/\/compare\?/);
  });

  it("tags what is selected, with a way back", async () => {
    await visit(page, "/sessions?q=agent%3Acodex+routes&columns=agent,tags");
    await expect.poll(agents).toEqual(["codex"]);
    await page.getByLabel("Select all shown sessions").check();
    const count = Number.parseInt(await page.getByText(/^\d+ selected$/).innerText(), 10);
    await page.getByLabel("Tag", { exact: true }).fill("two words");
    await page.keyboard.press("Enter");
    await page.getByText("A tag is one word without commas.").waitFor();
    expect(await audit(page)).toEqual([]);
    await page.getByLabel("Tag", { exact: true }).fill("harbour");
    await page.keyboard.press("Enter");
    const undo = page.locator(".notice", { hasText: "Tagged" }).getByRole("button", { name: "Undo" });
    await undo.click();
    const tagged = page.getByRole("cell", { name: "harbour" });
    await expect.poll(() => tagged.count()).toBe(0);
    await page.getByLabel("Tag", { exact: true }).fill("anchor");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("cell", { name: "anchor" }).count()).toBe(count);
    await page.getByLabel("Tag", { exact: true }).fill("anchor");
    await page.keyboard.press("Enter");
    await page.getByText("All of them have the tag anchor.").waitFor();
    await page.getByRole("button", { name: "Clear selection" }).click();
  });

  it("says which of the selected sessions could not be tagged, and takes back only the others", async () => {
    await visit(page, "/sessions?q=agent%3Acodex+routes&columns=agent,tags");
    await page.locator(".cell-title a").first().waitFor();
    let asked = 0;
    const changes: string[] = [];
    await page.route("**/tags*", async (route) => {
      changes.push(route.request().postData() ?? "");
      if (asked++ > 0) return route.continue();
      await route.fulfill({
        status: 507,
        json: { ok: false, error: { code: "disk_full", message: "The disk is full. Free some space and try again." } },
      });
    });
    // More sessions may come while the rest of the history is read; then not all that are shown are selected.
    await page.getByLabel("Select all shown sessions").click();
    const count = Number.parseInt(await page.getByText(/^\d+ selected$/).innerText(), 10);
    await page.getByLabel("Tag", { exact: true }).fill("half");
    await page.keyboard.press("Enter");
    await page.getByText("The disk is full.").waitFor();
    const told = page.locator(".notice", { hasText: `Tagged ${count - 1} of ${count} sessions: half.` });
    await expect.poll(() => page.getByRole("cell", { name: "half" }).count()).toBe(count - 1);
    await told.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.getByRole("cell", { name: "half" }).count()).toBe(0);
    expect(changes.filter((body) => body.includes("remove"))).toHaveLength(count - 1);
    await page.unroute("**/tags*");
  });

  it("opens a terminal or a transcript with a click", async () => {
    await visit(page, "/sessions?q=build+watcher");
    await page.getByRole("link", { name: "build watcher" }).click();
    await page.waitForURL(/\/s\/sess-/);
    await visit(page, "/sessions?q=agent%3Acodex");
    await page.locator(".cell-title a").first().click();
    await page.locator("article.transcript .message").first().waitFor();
  });
});
