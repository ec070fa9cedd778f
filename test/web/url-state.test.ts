/** The address holds the view's state, and errors in it are shown. */
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { rowOf, screenText, stage, untilScreen, visit } from "./support/browser.ts";

interface Summary {
  agent: string;
  unifiedId: string;
  sessionId: string;
  title: string;
}

const at = stage({ history: ["claude", "codex"] });
let page: Page;
let all: Summary[];

beforeAll(async () => {
  page = await at.open();
  all = await at.demo.ask<Summary[]>("GET", "/v1/history?limit=500&counts=false");
});

describe("an address", () => {
  it("keeps the time and the grouping of the cost over a reload", async () => {
    await visit(page, "/cost");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("button", { name: "model", exact: true }).click();
    await page.waitForURL(/\/cost\?time=all&by=model/);
    await page.reload();
    await page.locator(".cost-table").waitFor();
    for (const name of ["All", "model"]) {
      expect(await page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed")).toBe("true");
    }
  });

  it("that leads nowhere says so", async () => {
    await visit(page, "/nonsense");
    await page.getByText("There is no page “/nonsense”.").waitFor();
    await visit(page, "/t/claude:nothing");
    await page.locator(".transcript [role=alert]").waitFor();
    expect(await page.locator(".transcript").getByRole("button", { name: "Resume" }).count()).toBe(0);
    await visit(page, "/search?q=nosuchwordanywhere");
    await page.getByText("No session matches “nosuchwordanywhere”.").waitFor();
    await page.getByRole("link", { name: "Words that start with" }).waitFor();
  });
});

describe("comparing", () => {
  it("accepts an id prefix or part of a title, and says when it is ambiguous", async () => {
    const [one, other] = all.filter(({ agent }) => agent === "claude");
    await visit(page, `/compare?a=${encodeURIComponent(one!.unifiedId)}&b=`);
    const second = page.getByLabel("Second session");
    await second.fill("no title like this");
    await second.press("Enter");
    await page.getByText("No session matches “no title like this”.").waitFor();
    await page.locator("#all-sessions option").first().waitFor({ state: "attached" });
    await second.fill(other!.sessionId.slice(0, 13));
    await second.press("Enter");
    await page.locator(".compare .view-line a").nth(1).waitFor();
    expect(page.url()).toContain(encodeURIComponent(other!.unifiedId));
  });
});

describe("launching", () => {
  it("says what is wrong with the name of a branch", async () => {
    await visit(page, "/overview");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByLabel("New git worktree").fill("my branch");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("“my branch” cannot be a branch name").waitFor();
    await page.keyboard.press("Escape");
  });
});

describe("a terminal", () => {
  it("takes Ctrl+V as paste", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const id = await at.demo.launch("PS1='$ ' exec bash --norc --noprofile -i", { name: "pasted into" });
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /\$/);
    await page.evaluate(`navigator.clipboard.writeText("echo pasted-$((40+2))")`);
    await page.locator(".term-box").click();
    await page.keyboard.press("Control+v");
    await untilScreen(page, /echo pasted-/);
    await page.keyboard.press("Enter");
    await untilScreen(page, /^pasted-42$/m);
    expect(await screenText(page)).not.toContain("^V");
  });
});

describe("the service worker", () => {
  let offline: Page;
  const unmet = new Set(["/sw.js", "/icon.svg"]);

  beforeAll(async () => {
    // Its own file does not come at first, then one that it keeps.
    const prepare = (context: BrowserContext): Promise<unknown> =>
      context.route("**/*", (route, request) => {
        const isFirst = request.serviceWorker() !== null && unmet.delete(new URL(request.url()).pathname);
        return isFirst ? route.abort() : route.fallback();
      });
    offline = await at.open({ serviceWorkers: "allow" }, { prepare });
  });

  it("is installed in the open page when its first installations failed", async () => {
    await expect.poll(() => offline.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
    expect([...unmet]).toEqual([]);
    await offline.context().unrouteAll();
  });

  it("opens the page while the daemon is down: with what was known and what to do, and back by itself", async () => {
    const id = await at.demo.launch("exec sleep 600", { name: "remembered" });
    await visit(offline, "/overview");
    await offline.locator(rowOf(id)).waitFor();
    await at.demo.kill("SIGKILL");
    await offline.reload();
    await offline.getByRole("alert").getByText("amux daemon start").waitFor();
    await offline.locator(rowOf(id)).waitFor();
    const logo = (): Promise<number> => offline.evaluate<number>(`document.querySelector(".brand img").naturalWidth`);
    await expect.poll(logo).toBeGreaterThan(0);
    expect(await offline.locator(".notice").count()).toBeLessThan(2);
    const tried = offline.waitForRequest(/\/v1\/events/);
    await offline.getByRole("button", { name: "Try now" }).click();
    await tried;
    await at.demo.start();
    await offline.waitForSelector(".connection.live");
    await offline.getByRole("alert").waitFor({ state: "detached" });
    await offline.locator(".recent li").first().waitFor();
  });
});
