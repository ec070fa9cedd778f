/** What agents left behind, in the browser. */
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { stage, visit } from "./support/browser.ts";

interface Summary {
  agent: string;
  unifiedId: string;
  title: string;
  messageCount: number;
  forkedFrom?: string;
}

const LONG_ID = "11111111-2222-4333-8444-555555555555";
const LONG_MESSAGES = 6000;

const at = stage(writeLongConversation);
let page: Page;
let all: Summary[];

beforeAll(async () => {
  page = await at.open();
  all = await at.demo.ask<Summary[]>("GET", "/v1/history?limit=500");
}, 60_000);

/** Longer than any recorded one, with a message that would like to be a program. */
function writeLongConversation(home: string): void {
  const directory = join(home, ".claude/projects/-tmp-long");
  mkdirSync(directory, { recursive: true });
  const evil = "<img src=x onerror=alert(1)> [x](javascript:alert(2)) <script>alert(3)</script>";
  const lines: string[] = [];
  let parentUuid: string | null = null;
  for (let index = 0; index < LONG_MESSAGES; index++) {
    const uuid = randomUUID();
    const isUser = index % 2 === 0;
    const text = index === 0 ? `Long talk ${evil}` : `message number ${index}`;
    const message = isUser
      ? { role: "user", content: text }
      : {
          role: "assistant",
          id: `msg_${index}`,
          model: "claude-opus-5-5",
          content: [{ type: "text", text }],
          usage: {},
        };
    const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const common = {
      parentUuid,
      uuid,
      sessionId: LONG_ID,
      cwd: "/tmp/long",
      timestamp,
      isSidechain: false,
      version: "2.0.0",
    };
    lines.push(JSON.stringify({ ...common, type: isUser ? "user" : "assistant", message }));
    parentUuid = uuid;
  }
  writeFileSync(join(directory, `${LONG_ID}.jsonl`), `${lines.join("\n")}\n`);
}

describe("transcripts", () => {
  it("are shown for every agent", async () => {
    const agents = [...new Set(all.map(({ agent }) => agent))];
    expect(agents.length).toBeGreaterThanOrEqual(10);
    for (const agent of agents) {
      const fullest = all.filter((row) => row.agent === agent && row.unifiedId !== `claude:${LONG_ID}`);
      const { unifiedId, title } = fullest.sort((a, b) => b.messageCount - a.messageCount)[0]!;
      const { messages } = await at.demo.ask<{ messages: { role: string; content: string }[] }>(
        "GET",
        `/v1/history/${encodeURIComponent(unifiedId)}?limit=1`,
      );
      await visit(page, `/t/${encodeURIComponent(unifiedId)}`);
      await page.locator(".view-title h1", { hasText: title.slice(0, 30) }).waitFor();
      const first = page.locator(`[data-index="0"] .message.${messages[0]!.role}`);
      await first.waitFor();
      const words = messages[0]!.content.split(/[\s`*#>|]+/).filter((word) => /^\w{3,}$/.test(word));
      expect((await first.textContent()) ?? "", agent).toContain(words[0] ?? "");
    }
  });

  it("show edits as differences, tools with what they did, and fold what is long", async () => {
    const edited = all.find(({ agent, title }) => agent === "claude" && title.includes("health route"))!;
    await visit(page, `/t/${encodeURIComponent(edited.unifiedId)}`);
    await page.locator(".diff .line-added").first().waitFor();
    expect(await page.locator(".diff .line-added").first().textContent()).toContain("+");
    await page.locator(".fold.thinking > summary").first().click();
    await page.locator(".fold.thinking[open]").first().waitFor();
  });

  it("of any length hold only what is visible, and can be linked to", async () => {
    const path = `/t/${encodeURIComponent(`claude:${LONG_ID}`)}`;
    await visit(page, path);
    await page.getByText(`${LONG_MESSAGES.toLocaleString("en-US")} messages`).waitFor();
    // What looks like a page inside the page is text.
    expect(await page.locator('[data-index="0"]').textContent()).toContain("<script>alert(3)</script>");
    expect(await page.locator(".message img, .message script, .message a[href^=javascript]").count()).toBe(0);
    await visit(page, `${path}#m4321`);
    await page.locator('[data-index="4321"] .message.marked').waitFor();
    expect(await page.locator('[data-index="4321"]').textContent()).toContain("message number 4321");
    await page.getByRole("button", { name: "Next prompt" }).click();
    await page.locator('[data-index="4322"]').waitFor();
    await page.locator(".virtual").focus();
    await page.keyboard.press("End");
    await page.locator(`[data-index="${LONG_MESSAGES - 1}"]`).waitFor();
    expect(await page.locator(".message").count()).toBeLessThan(100);
  });
});

describe("search", () => {
  it("finds as one types, narrows down, and opens the place by keys", async () => {
    await visit(page, "/search");
    await page.getByLabel("Search", { exact: true }).waitFor();
    await page.keyboard.type("health route");
    await page.locator(".hit mark").first().waitFor();
    await page
      .locator(".facets")
      .getByRole("button", { name: /^codex/ })
      .click();
    await expect.poll(() => page.locator(".hit .agent").allTextContents()).toEqual(["codex"]);
    await page.getByLabel("Search", { exact: true }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/t\/codex/);
    await page.locator(".message.marked").waitFor();
  });

  it("says what is wrong with a query", async () => {
    await visit(page, `/search?q=${encodeURIComponent("before:never")}`);
    await page.locator(".search [role=status]", { hasText: /date/i }).waitFor();
  });
});

describe("compare", () => {
  it("shows a fork beside what it came from", async () => {
    const fork = all.find(({ agent, forkedFrom }) => agent === "codex" && forkedFrom !== undefined)!;
    const parent = `codex:${fork.forkedFrom}`;
    const { stats } = await at.demo.ask<{ stats: { removals: number; additions: number; modifications: number } }>(
      "GET",
      `/v1/history/diff?a=${encodeURIComponent(parent)}&b=${encodeURIComponent(fork.unifiedId)}`,
    );
    await visit(page, `/compare?a=${encodeURIComponent(parent)}&b=${encodeURIComponent(fork.unifiedId)}`);
    await page.locator(".pair").first().waitFor();
    const said = await page.locator(".stats").textContent();
    expect(said).toContain(`−${stats.removals}`);
    expect(said).toContain(`+${stats.additions}`);
    expect(said).toContain(`~${stats.modifications}`);
  });
});

describe("cost", () => {
  it("adds up to what the command line says, names what is unknown, and opens down to requests", async () => {
    const summary = await at.demo.ask<{ totalUsd: number; requestCount: number }>("GET", "/v1/cost");
    await visit(page, "/cost");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByText(`${summary.requestCount.toLocaleString("en-US")} requests in`).waitFor();
    expect(await page.locator(".total strong").textContent()).toBe(`≥ $${summary.totalUsd.toFixed(2)}`);
    await page.locator(".kinds .unknown", { hasText: "wrote no counts" }).waitFor();
    await page.locator(".plot canvas").waitFor();
    await page.locator(".cost-table").getByRole("button", { name: "pi", exact: true }).click();
    await page.locator("dialog .cost-table tbody tr").first().waitFor();
    await page.keyboard.press("Escape");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("amux-cost-by-agent.csv");
  });
});

describe("the overview and the drawer", () => {
  it("show what happened and bring it back by name", async () => {
    await visit(page, "/overview");
    await page.locator(".recent li").first().waitFor();
    expect(await page.locator(".heat [class^=level]:not(.level-0)").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: /Resume previous/ }).click();
    await page.getByLabel("Search previous sessions").fill("health route");
    await expect.poll(() => page.locator(".drawer .row").count()).toBeGreaterThan(0);
    const row = page.locator(".drawer .row").first();
    const id = (await row.getAttribute("data-session"))!;
    await row.hover();
    await row.getByRole("button", { name: "Dismiss" }).click();
    await page.locator(`.drawer [data-session="${id}"]`).waitFor({ state: "detached" });
  });
});
