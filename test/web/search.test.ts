/** The search view before, during and without results. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { fixturesOf } from "../history/recorded-home.ts";
import { audit } from "./support/audit.ts";
import { stage, visit } from "./support/browser.ts";
import { writePiConversation } from "./support/conversation.ts";

const SHIP = "0198a3c4-6666-7333-8444-555555555555";

const at = stage({
  history: false,
  prepare: (home) => {
    writePiConversation(home, SHIP, "/tmp/ship", ["Paint the ship", "It is blue."]);
    cpSync(join(fixturesOf("vscode"), "home"), home, { recursive: true });
  },
});
let page: Page;

beforeAll(async () => {
  page = await at.open();
});

it("begins with examples and the latest sessions", async () => {
  await visit(page, "/search");
  await page.getByText("both words, anywhere in a session").waitFor();
  const recent = page.getByRole("region", { name: "Recent sessions" });
  await recent.getByRole("link", { name: /Paint the ship/ }).waitFor();
  await recent.getByRole("link", { name: "All sessions" }).waitFor();
  await recent.getByText("vscode (experimental)").first().waitFor();
  expect(await audit(page)).toEqual([]);
  await recent.getByRole("link", { name: /Paint the ship/ }).click();
  await page.waitForURL(/\/t\/pi%3A/);
});

it("says how many sessions are read while it searches", async () => {
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route("**/v1/history/search?*", async (route) => {
    await held;
    await route.continue();
  });
  await page.route("**/v1/history/progress", (route) =>
    route.fulfill({ json: { ok: true, data: { done: 458, total: 1561 } } }),
  );
  await visit(page, "/search?q=ship");
  await page.getByText("Searching … 458 of 1,561 new sessions read").waitFor();
  go();
  await page.locator(".search").getByText("1 session", { exact: true }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
});

it("says what to try when nothing is found", async () => {
  await visit(page, "/search?q=anchor+rope");
  await page.getByText("No session matches “anchor rope”.").waitFor();
  await page.getByRole("link", { name: "Any of these words" }).waitFor();
  expect(await audit(page)).toEqual([]);
});

it("draws no activity before it is known", async () => {
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route("**/v1/overview?*", async (route) => {
    await held;
    await route.continue();
  });
  await visit(page, "/overview");
  await page.getByRole("region", { name: "Activity" }).getByText("Reading …").waitFor();
  expect(await page.locator(".heat").count()).toBe(0);
  go();
  await page.locator(".heat").waitFor();
  await page.unrouteAll({ behavior: "wait" });
});
