/** Past sessions: searched, shared by a link that opens in a browser that was never signed in, and told apart. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { fixturesOf } from "../history/recorded-home.ts";
import { audit } from "./support/audit.ts";
import { newPage, rowOf, stage, visit } from "./support/browser.ts";
import { asked, replied, writeConversation, writePiConversation } from "./support/conversation.ts";

const SHIP = "0198a3c4-6666-7333-8444-555555555555";
const SHARED = "88888888-2222-4333-8444-555555555555";
const SECRET = ["ghp", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"].join("_");
const FIRST = "33333333-2222-4333-8444-555555555551";
const SECOND = "33333333-2222-4333-8444-555555555552";
/** The fourth message has no text, only a call that differs. */
const CALLS = { [FIRST]: "git status --short", [SECOND]: "git log --oneline" };

let shops: string[] = [];
const at = stage({ history: false, prepare });
let page: Page;

beforeAll(async () => {
  page = await at.open();
});

function prepare(home: string): void {
  writePiConversation(home, SHIP, "/tmp/ship", ["Paint the ship", "It is blue."]);
  cpSync(join(fixturesOf("vscode"), "home"), home, { recursive: true });
  const reef = join(home, "dev/reef");
  mkdirSync(reef, { recursive: true });
  writeConversation(home, SHARED, reef, [
    asked(`Deploy the reef with ${SECRET}`),
    replied({ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: `deploy --token ${SECRET}` } }),
    asked([{ type: "tool_result", tool_use_id: "toolu_1", content: "<img src=x onerror=alert(1)> deployed" }]),
    replied({ type: "text", text: "The reef is deployed." }),
  ]);
  shops = ["work", "play"].map((parent) => join(home, "dev", parent, "shop-api"));
  for (const shop of shops) mkdirSync(shop, { recursive: true });
  for (const [index, [id, command]] of Object.entries(CALLS).entries()) {
    writeConversation(
      home,
      id,
      shops[0]!,
      [
        asked("Count the routes"),
        replied({ type: "text", text: "There are three." }),
        asked("And now?"),
        replied({ type: "tool_use", id: `toolu_${index}`, name: "Bash", input: { command } }),
        asked([{ type: "tool_result", tool_use_id: `toolu_${index}`, content: "done" }]),
      ],
      Date.UTC(2026, 0, 1 + index),
    );
  }
}

describe("the search view", () => {
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

  it("shows nothing of an earlier search while it looks for something else", async () => {
    await visit(page, "/search?q=ship");
    await page.locator(".hit").first().waitFor();
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    await page.route("**/v1/history/search?*", async (route) => {
      await held;
      await route.continue();
    });
    await visit(page, "/overview");
    await visit(page, "/search?q=anchor+rope");
    await page.getByText("Searching …").waitFor();
    expect(await page.locator(".hit").count()).toBe(0);
    go();
    await page.getByText("No session matches “anchor rope”.").waitFor();
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
});

describe("things with equal names", () => {
  it("two groups of the same name show the directory above, and paths begin with ~", async () => {
    const ids = await Promise.all(
      shops.map((cwd, index) => at.demo.launch("exec sleep 600", { cwd, name: `shop ${index}` })),
    );
    for (const [index, parent] of ["work", "play"].entries()) {
      const group = page.getByRole("region", { name: `shop-api in ${parent}` });
      await group.locator(`[data-session="${ids[index]!}"]`).waitFor();
      await group.locator(".group-hint", { hasText: parent }).waitFor();
    }
    await page.locator(`${rowOf(ids[0]!)} .row-main`).click();
    await page.locator(".view-line .path", { hasText: /^~\/dev\/work\/shop-api$/ }).waitFor();
    await page.getByRole("button", { name: "New", exact: true }).click();
    await expect.poll(() => page.getByLabel("Folder").inputValue()).toMatch(/^~\/dev\/(?:work|play)\/shop-api$/);
    await page.keyboard.press("Escape");
    expect(await audit(page)).toEqual([]);
  });

  it("the palette begins with what runs and what ended last, and says when", async () => {
    await visit(page, "/overview");
    await page.keyboard.press("Control+k");
    const options = page.getByRole("option");
    const order = async (): Promise<[number, boolean]> => {
      const notes = await options.locator(".muted").allTextContents();
      const running = notes.findIndex((note) => note.includes("shell · shop-api"));
      const ended = notes.findIndex((note) => /^claude · shop-api · ended \d+\w+ ago$/.test(note));
      return [running, ended > running];
    };
    await expect.poll(order).toEqual([0, true]);
    await page.getByRole("option", { name: "Overview" }).waitFor();
    await page.keyboard.type("Count the routes");
    await expect.poll(() => page.getByRole("option", { name: /^Count the routes.*ended/ }).count()).toBe(2);
    await page.keyboard.press("Escape");
  });

  it("a comparison shows messages that are only a tool call as they are, under the sessions' titles", async () => {
    await visit(page, `/compare?a=claude:${FIRST}&b=claude:${SECOND}`);
    const changed = page.locator(".pair.modification", { hasText: "git log --oneline" });
    await changed.getByText("git status --short").or(changed.locator("del").first()).first().waitFor();
    const [left, right] = await changed.locator(".side").allTextContents();
    expect(left).toContain("git status --short");
    expect(right).toContain("git log --oneline");
    expect(await page.locator(".pair.same", { hasText: "git" }).count()).toBe(0);
    const titles = page.locator(".compare .view-line a");
    await expect.poll(() => titles.first().textContent()).toBe("Count the routes (claude:33333333-2222)");
    await page.getByText("2 unchanged messages").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.locator(".pair.same", { hasText: "Count the routes" }).waitFor();
    expect(await audit(page)).toEqual([]);
  });
});

// Last: it leaves its dialog open.
describe("sharing", () => {
  it("a session is shared by a link, which is listed and revoked", async () => {
    await visit(page, `/t/claude:${SHARED}`);
    await page.locator(".transcript").getByLabel("Actions").click();
    await page.getByRole("button", { name: "Share…" }).click();
    const dialog = page.getByRole("dialog", { name: /^Share/ });
    await dialog.getByText("No link works now.").waitFor();
    await dialog.getByLabel("Works for").selectOption("an hour");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByText("3 values taken out").first().waitFor();
    const link = await dialog.getByLabel("Link", { exact: true }).inputValue();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/shared\/[\w-]{43}$/);
    expect(await audit(page)).toEqual([]);

    const stranger = await newPage(at.browser);
    const answer = await stranger.goto(link);
    expect(answer?.status()).toBe(200);
    await stranger.getByText("The reef is deployed.").waitFor();
    expect(await stranger.content()).not.toContain(SECRET.slice(8));
    expect(await stranger.content()).toContain("[redacted");
    expect(await stranger.locator("img, script").count()).toBe(0);
    expect(await stranger.context().cookies()).toEqual([]);

    await dialog.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByText("No link works now.").waitFor();
    expect((await stranger.goto(link))?.status()).toBe(404);
  });
});
