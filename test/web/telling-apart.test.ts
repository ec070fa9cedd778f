/** Things with equal names, and what tells them apart: groups, sessions in the palette, and messages in a comparison. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { audit } from "./support/audit.ts";
import { rowOf, stage, visit } from "./support/browser.ts";
import { asked, replied, writeConversation } from "./support/conversation.ts";

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
  await options.first().waitFor();
  const notes = await options.locator(".muted").allTextContents();
  const running = notes.findIndex((note) => note.includes("shell · shop-api"));
  const ended = notes.findIndex((note) => /^claude · shop-api · ended \d+\w+ ago$/.test(note));
  expect([running, ended > running]).toEqual([0, true]);
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
