/** Two machines in one page: everything found is on the peer. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoDaemon, type DemoDaemon } from "../../scripts/demo-daemon.mjs";
import { DEADLINE_MS } from "../support/deadline.ts";
import { audit } from "./support/audit.ts";
import { rowOf, screenText, stage, untilScreen, visit } from "./support/browser.ts";
import { asked, replied, writeConversation } from "./support/conversation.ts";
import { pathWithFakeAgents } from "./support/fake-agent.ts";

const TALK_ID = "33333333-2222-4333-8444-555555555555";
const OTHER_ID = "44444444-2222-4333-8444-555555555555";

const PATH = pathWithFakeAgents();
const at = stage({ history: false });
let page: Page;
let other: DemoDaemon;

beforeAll(async () => {
  other = await startDemoDaemon({ history: false, vars: { PATH }, prepare: writeTalk, patienceMs: DEADLINE_MS });
  const token = readFileSync(join(other.place, "amux/auth-token"), "utf8").trim();
  await at.demo.ask("POST", "/v1/peers", { name: "box", url: other.origin, token });
  page = await at.open();
});

afterAll(() => other?.close());

function writeTalk(home: string): void {
  const cwd = join(home, "dev/lighthouse");
  mkdirSync(cwd, { recursive: true });
  const lines = ["How bright is the lantern?", "Bright enough for the reef."];
  const said = [asked(lines[0]), replied({ type: "text", text: lines[1] })];
  writeConversation(home, TALK_ID, cwd, said);
  writeConversation(home, OTHER_ID, cwd, [...said, asked("In candela?"), replied({ type: "text", text: "Enough." })]);
}

describe("a conversation of another machine", () => {
  it("is found by the search, which names its machine, and read there", async () => {
    await visit(page, "/sessions");
    await page.locator(".sessions-row", { hasText: "box" }).first().waitFor();
    await page.getByText(/^2 sessions/).waitFor();
    await visit(page, "/search");
    await page.getByLabel("Search", { exact: true }).fill("lantern -candela");
    const hit = page.locator(".hit");
    await hit.locator(".badge.machine", { hasText: "box" }).waitFor();
    await hit.locator(".hit-main").click();
    await page.waitForURL(/\/t\/claude%3A.*\?peer=box/);
    await page.locator(".message.assistant", { hasText: "Bright enough for the reef." }).waitFor();
    await page.locator(".view-title .badge.machine", { hasText: "box" }).waitFor();
    await page.locator(".permalink").first().click();
    await page.locator(".message.marked").waitFor();
    expect(page.url()).toContain("peer=box#m");
    await page.locator(".transcript").getByLabel("Actions").click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export as Markdown" }).click(),
    ]);
    expect(readFileSync(await file.path(), "utf8")).toContain("How bright is the lantern?");
  });

  it("is compared with another one there", async () => {
    const pair = new URLSearchParams({ a: `claude:${TALK_ID}`, b: `claude:${OTHER_ID}`, peer: "box" });
    await visit(page, `/compare?${pair.toString()}`);
    await page.locator(".compare .addition", { hasText: "In candela?" }).waitFor();
    expect(await page.locator(".stats .added").textContent()).toBe("+2");
    // Its sides link to the sessions.
    expect(await page.locator(".compare .view-line a").first().getAttribute("href")).toContain("?peer=box");
  });

  it("is forked there at a message", async () => {
    await visit(page, `/t/claude:${OTHER_ID}?peer=box`);
    const answer = page.locator('[data-index="1"]');
    await answer.hover();
    await answer.getByRole("button", { name: "Continue from here" }).click();
    await page.getByRole("button", { name: /^Fork from here/, disabled: false }).click();
    await page.waitForURL(/\/s\/sess-\w+@box/);
    await untilScreen(page, /fake resumed [\w-]+/);
    const copy = /fake resumed ([\w-]+)/.exec(await screenText(page))![1]!;
    const path = `/v1/history/claude:${copy}?peer=box`;
    const { messages } = await at.demo.ask<{ messages: { content: string }[] }>("GET", path);
    expect(messages.map(({ content }) => content)).toEqual([
      "How bright is the lantern?",
      "Bright enough for the reef.",
    ]);
    await visit(page, `/t/claude:${TALK_ID}?peer=box`);
  });

  it("is resumed there, and followed here as it grows", async () => {
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.waitForURL(/\/s\/sess-\w+@box/);
    await untilScreen(page, new RegExp(`fake resumed ${TALK_ID}`));
    await page.keyboard.type("and in fog?\n");
    await untilScreen(page, /answered in/);
    await page.locator(".view-actions").getByRole("link", { name: "Transcript" }).click();
    await page.getByText("answer to and in fog?").waitFor();
    const id = (await page.getByRole("link", { name: "Terminal" }).getAttribute("href"))!.slice("/s/".length);
    await at.demo.ask("POST", `/v1/sessions/${id}/message`, { text: "and at noon?" });
    await page.getByText("answer to and at noon?").waitFor();
  });
});

describe("the settings", () => {
  it("keep their buttons in place while more of them arrive", async () => {
    let arrive = (): void => undefined;
    const wanted = new Promise<void>((resolve) => (arrive = resolve));
    await page.route(/\/v1\/(models|hooks|notify)/, async (route) => {
      await wanted;
      await route.continue();
    });
    await page.getByRole("link", { name: "Settings" }).click();
    const button = page.getByRole("button", { name: "Add", exact: true });
    const before = await button.boundingBox();
    arrive();
    await page.locator(".prices tbody tr").first().waitFor({ state: "attached" });
    expect(await button.boundingBox()).toEqual(before);
    await page.unrouteAll({ behavior: "wait" });
    await page.goBack();
  });

  it("say how another machine is, and what is wrong with an address", async () => {
    await page.getByRole("link", { name: "Settings" }).click();
    await page
      .locator(".peers li", { hasText: "box" })
      .getByText(/^connected/)
      .waitFor();
    await page.getByLabel("Name of the machine").fill("nowhere");
    await page.getByLabel("Address of the machine").fill("not an address");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".add-peer [role=alert]").waitFor();
    await page.locator(".settings").getByLabel("Theme").selectOption("dark");
    await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await page.locator(".settings").getByLabel("Theme").selectOption("system");
  });

  it("change the font of terminals, and show what models cost", async () => {
    await page.getByLabel("Find a model").fill("claude-opus-5-5");
    const row = page.locator(".prices tbody tr");
    await expect.poll(() => row.count()).toBeGreaterThan(0);
    expect(await row.first().textContent()).toMatch(/^claude-opus-5-5.*\d/);
    expect(await page.locator('.prices th[scope="col"]').count()).toBe(4);
    expect(await audit(page)).toEqual([]);
    await page.getByLabel("Terminal font size").selectOption("20 px");
    const id = await at.demo.launch("echo large; exec sleep 600");
    await visit(page, `/s/${id}`);
    await untilScreen(page, /large/);
    expect(await page.evaluate(`getComputedStyle(document.querySelector(".xterm-rows")).fontSize`)).toBe("20px");
    await visit(page, "/settings");
    await page.getByLabel("Terminal font size").selectOption("Automatic");
  });

  it("do not tick notifications that the browser refuses", async () => {
    await page.evaluate("void (Notification.requestPermission = async () => 'denied')");
    const box = page.getByLabel("Notify me in this browser");
    await box.click();
    await page.getByText("The browser does not allow notifications").waitFor();
    await expect.poll(() => box.isChecked()).toBe(false);
  });
});

describe("the cost of all machines", () => {
  it("is shown for each machine, and for all of them together", async () => {
    await visit(page, "/cost");
    await page.getByRole("button", { name: "All", exact: true }).click();
    const total = page.locator(".total .muted");
    await total.getByText("0 requests in 0 sessions").waitFor();
    await page.getByLabel("Machine").selectOption("box");
    await total.getByText(/in [1-9]\d* sessions?$/).waitFor();
    await page.locator(".cost-table").getByRole("button", { name: "claude", exact: true }).waitFor();
    const windows = [{ window: "5h", minutes: 300, usedPercent: 42, resetsAt: Date.now() + 3_600_000 }];
    const told = { at: Date.now() - 1000, agent: "claude", account: "me@example.com", windows };
    writeFileSync(join(other.place, "amux/limits.jsonl"), `${JSON.stringify(told)}\n`);
    await page.getByLabel("Machine").selectOption("all machines");
    const limits = page.getByRole("region", { name: "Usage limits and budgets" });
    await limits.getByRole("heading", { name: "box" }).waitFor();
    await limits.getByRole("meter", { name: "claude · me@example.com · 5h" }).waitFor();
    await page.locator(".cost-table").getByRole("button", { name: "claude", exact: true }).click();
    await page
      .getByRole("dialog", { name: "Requests of claude" })
      .getByText(/\d requests?, /)
      .waitFor();
    await page.keyboard.press("Escape");
  });
});

describe("a session of another machine", () => {
  it("is launched there, with that machine's agents and folders", async () => {
    await page.getByRole("button", { name: "New", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "New session" });
    await dialog.getByLabel("Machine").selectOption("box");
    await dialog.getByLabel("Claude Code").waitFor();
    await dialog.getByLabel("Folder").fill(join(other.home, "dev/light"));
    const folder = join(other.home, "dev/lighthouse");
    await page.locator(`#folders option[value^="${folder}"]`).waitFor({ state: "attached" });
    await dialog.getByLabel("Folder").fill(folder);
    await dialog.getByRole("textbox", { name: "Command" }).fill("env 'PS1=$ ' bash --norc --noprofile -i");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/s\/sess-\w+@box/);
    await untilScreen(page, /\$/);
    await page.keyboard.type("pwd; echo over th''ere\n");
    await untilScreen(page, /dev\/lighthouse[\s\S]*over there/);
  });

  it("has its machine's name, and says when that is unreachable", async () => {
    const id = /sess-\w+@box/.exec(page.url())![0];
    const row = page.locator(rowOf(id));
    await row.locator(".badge.machine", { hasText: "box" }).waitFor();
    await other.kill("SIGKILL");
    await row.locator(".badge.machine.lost").waitFor();
    await visit(page, "/search?q=lantern");
    await page.getByText(/box did not answer/).waitFor();
  });
});
