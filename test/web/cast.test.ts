/** A recorded session plays in the page. */
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { runCli } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { audit } from "./support/audit.ts";
import { stage, visit } from "./support/browser.ts";

const at = stage({ history: false });
let page: Page;
let id: string;

beforeAll(async () => {
  const script =
    "printf 'first \\033[32mgreen\\033[0m\\n'; sleep 0.5; echo second; sleep 5; printf '\\033]0;x\\007third\\n'";
  const { stdout } = await runCli(["run", "-d", "--record", "--name", "reef", "--", "sh", "-c", script], {
    home: at.demo.home,
    vars: { AMUX_HOME: join(at.demo.place, "amux") },
  });
  id = stdout.trim();
  // A viewer would change its size, which is recorded.
  await waitFor("its end", async () => {
    const all = await at.demo.ask<{ id: string; alive: boolean }[]>("GET", "/v1/sessions");
    return all.some((session) => session.id === id && !session.alive);
  });
  page = await at.open();
});

it("a recording plays, pauses and seeks, and its pauses are short", async () => {
  await visit(page, `/s/${id}`);
  await page.locator(".ended-session").waitFor();
  await page.getByLabel("Actions").click();
  await page.getByRole("button", { name: "Play recording" }).click();
  const dialog = page.getByRole("dialog", { name: "Recording of reef" });
  const rows = async (): Promise<string> => (await dialog.locator(".xterm-rows > div").allTextContents()).join("\n");
  await dialog.getByText(/\/ 0:0[2-4]$/).waitFor();
  await expect.poll(rows).toContain("third");
  await dialog.getByRole("button", { name: "Play" }).waitFor();
  expect(await audit(page)).toEqual([]);
  await dialog.getByLabel("Position").fill("1");
  await expect.poll(rows).not.toContain("third");
  expect(await rows()).toMatch(/first.green\n+.*second/);
  await dialog.getByLabel("Speed").selectOption("8");
  await dialog.getByRole("button", { name: "Play" }).click();
  await expect.poll(rows).toContain("third");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
});
