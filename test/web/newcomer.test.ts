/** What a new user does first, in one go: start an agent, answer it, find an old session, see what it cost. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, it } from "vitest";
import { askPermission } from "./support/ask-permission.ts";
import { stage, untilScreen } from "./support/browser.ts";

/** Asks whether the folder can be trusted, as Claude Code does, then takes the prompt. */
const CLAUDE = `#!/usr/bin/env node
if (process.argv.includes("--version")) { console.log("2.1.0 (fake)"); process.exit(0); }
const options = ["No, exit", "Yes, I trust this folder"];
let at = 0;
const draw = () => process.stdout.write("\\x1b[2J\\x1b[HAccessing workspace:\\r\\n\\r\\nQuick safety check: Is this a project you created or one you trust?\\r\\n\\r\\n" +
  options.map((text, index) => (index === at ? " ❯ " : "   ") + text).join("\\r\\n") + "\\r\\n\\r\\n Enter to confirm · Esc to cancel");
const answer = (key) => {
  if (key === "\\x1b[B" || key === "\\x1bOB") at = Math.min(1, at + 1);
  else if (key === "\\x1b[A" || key === "\\x1bOA") at = Math.max(0, at - 1);
  else if (key === "\\r") {
    if (at === 0) process.exit(1);
    process.stdin.off("data", take);
    process.stdin.resume();
    return process.stdout.write("\\x1b[2J\\x1b[Htook: " + process.argv.at(-1) + "\\r\\n");
  }
  draw();
};
const take = (data) => { for (const key of String(data).match(/\\x1b[[O][A-Z]|[^]/g)) answer(key); };
process.stdin.setRawMode(true).on("data", take);
draw();
`;

const bin = mkdtempSync("/tmp/amux-w-bin-");
writeFileSync(join(bin, "claude"), CLAUDE, { mode: 0o755 });
afterAll(() => rmSync(bin, { recursive: true, force: true }));

const at = stage({
  history: ["claude", "codex"],
  vars: { PATH: `${bin}:${process.env["PATH"]}` },
  prepare: (home) => mkdirSync(join(home, "work")),
});

it("a newcomer starts an agent, answers it, finds an old session and sees its cost", async () => {
  const page = await at.open();
  const id = await startAgent(page);
  const trust = page.getByRole("button", { name: "Yes, I trust this folder" });
  await trust.waitFor();
  // A first option that refuses is not suggested.
  expect(await page.locator("button.allow").count()).toBe(0);
  await trust.click();
  await untilScreen(page, /^took: Count the boats$/m);
  const decision = askPermission(at.demo, id, "wc -l boats.txt");
  await page.getByText("wc -l boats.txt").first().waitFor();
  await page.getByRole("button", { name: "Allow", exact: true }).first().click();
  expect(await decision).toContain('"behavior":"allow"');
  expect(await findOldSession(page)).not.toBe("$0");
  await goTo(page, "Cost");
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.getByRole("button", { name: "session", exact: true }).click();
  await page.getByText("Add a GET /health route and run the tests").first().waitFor();
});

/** By what the screen offers; resolves to the session's id. */
async function startAgent(page: Page): Promise<string> {
  await page.getByRole("button", { name: "New", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "New session" });
  await dialog.getByLabel("Claude Code").check();
  await dialog.getByLabel("Prompt").fill("Count the boats");
  await dialog.getByLabel("Folder").fill("~/work");
  const start = dialog.getByRole("button", { name: "Start" });
  // Without scrolling.
  const { y, height } = (await start.boundingBox())!;
  expect(y + height).toBeLessThanOrEqual(page.viewportSize()!.height - 24);
  await start.click();
  await page.waitForURL(/\/s\/sess-/);
  return /sess-\w+/.exec(page.url())![0];
}

/** Resolves to the cost in the head of the conversation. */
async function findOldSession(page: Page): Promise<string> {
  await goTo(page, "Search");
  await page.getByPlaceholder("Search every conversation of every agent").fill("health");
  await page.locator(".hit", { hasText: "claude" }).locator(".hit-main").click();
  await page.locator(".message").first().waitFor();
  const facts = page.locator(".view-line", { hasText: "$" }).first();
  return /\$[\d.]+/.exec((await facts.textContent())!)![0];
}

async function goTo(page: Page, view: string): Promise<void> {
  await page.getByRole("link", { name: view, exact: true }).click();
}
