/** What opens over a session: its queue of prompts and its recording. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { castLines, parseCast } from "../../src/protocol/cast.ts";
import { runCli } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { audit } from "./support/audit.ts";
import { rowOf, stage, visit } from "./support/browser.ts";

const at = stage({ history: false });
let page: Page;
let id: string;

interface Queue {
  paused: boolean;
  items: { text: string; when: string; state: string; paused?: true }[];
}

const queue = (): Promise<Queue> => at.demo.ask("GET", `/v1/sessions/${id}/queue`);

beforeAll(async () => {
  page = await at.open();
  id = await at.demo.launch("exec cat", { name: "writer" });
  await at.demo.ask("POST", `/v1/sessions/${id}/queue`, { text: "update the changelog", when: "in 2h" });
});

it("shows what waits, on the row and in a panel where it is added, edited, paused and removed", async () => {
  await page.locator(rowOf(id)).locator('[title="1 prompt in its queue"]').waitFor();
  await visit(page, `/s/${id}`);
  await page.getByRole("button", { name: "Queue, 1 prompt" }).click();
  const panel = page.getByRole("dialog", { name: "Queue of writer" });
  const item = panel.getByRole("listitem").filter({ hasText: "update the changelog" });
  await item.getByText(/^Due /).waitFor();
  expect(await audit(page)).toEqual([]);
  await panel.getByLabel("Prompt").fill("run the tests");
  await panel.getByLabel("When").selectOption("at a time");
  await panel.getByLabel("Time").fill("weekdays 9:00");
  await panel.getByRole("button", { name: "Add to the queue" }).click();
  const added = panel.getByRole("listitem").filter({ hasText: "run the tests" });
  await added.waitFor();
  await expect.poll(async () => (await queue()).items.map(({ when }) => when).at(-1)).toBe("weekdays 09:00");
  await page.locator(rowOf(id)).locator('[title="2 prompts in its queue"]').waitFor();
  await added.getByRole("button", { name: "Pause" }).click();
  await added.getByText("Paused").waitFor();
  await item.getByRole("button", { name: "Edit" }).click();
  await item.getByLabel("Prompt").fill("update the README");
  await item.getByRole("button", { name: "Save" }).click();
  await panel.getByRole("listitem").filter({ hasText: "update the README" }).waitFor();
  await panel.getByRole("button", { name: "Pause all" }).click();
  await panel.getByText("Paused: nothing is sent.").waitFor();
  expect(await queue()).toMatchObject({
    paused: true,
    items: [{ text: "update the README" }, { text: "run the tests", paused: true }],
  });
  await added.getByRole("button", { name: "Remove" }).click();
  await added.waitFor({ state: "detached" });
  // A time that cannot be read is said, and the text stays.
  await panel.getByLabel("Prompt").fill("later");
  await panel.getByLabel("Time").fill("some day");
  await panel.getByRole("button", { name: "Add to the queue" }).click();
  await page.getByText(/A time is idle, reset/).waitFor();
  expect(await panel.getByLabel("Prompt").inputValue()).toBe("later");
});

it("a change of a queue is not undone by what was asked before it", async () => {
  await visit(page, `/s/${id}`);
  await page.reload();
  const order: string[] = [];
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route(`**/v1/sessions/${id}/queue*`, async (route, request) => {
    if (request.method() === "GET") {
      const response = await route.fetch();
      await held;
      order.push("list");
      return route.fulfill({ response });
    }
    order.push("change");
    return route.continue();
  });
  await page.getByRole("button", { name: /^Queue, / }).click();
  const panel = page.getByRole("dialog", { name: "Queue of writer" });
  await panel.getByLabel("Prompt").fill("once more");
  await panel.getByRole("button", { name: "Add to the queue" }).click();
  // What was sent before this has come to the route.
  await page.evaluate(`fetch("/v1/health").then((answer) => answer.text())`);
  go();
  await panel.getByRole("listitem").filter({ hasText: "once more" }).waitFor();
  expect(order.slice(0, 2)).toEqual(["list", "change"]);
  await page.unrouteAll({ behavior: "wait" });
  await panel.getByRole("button", { name: "Close" }).click();
});

it("prompts that start sessions are on the overview, where they are edited, paused and removed", async () => {
  const scheduled = async (): Promise<Queue["items"]> =>
    (await at.demo.ask<{ scheduled: Queue["items"] }>("GET", "/v1/queues")).scheduled;
  await at.demo.ask("POST", "/v1/queues", {
    agent: "claude",
    cwd: at.demo.home,
    text: "triage the issues",
    when: "daily 7:30",
  });
  await visit(page, "/overview");
  const list = page.getByRole("region", { name: "Scheduled prompts" });
  const item = list.getByRole("listitem").filter({ hasText: "triage the issues" });
  await item.getByText(/^Due .*daily 07:30/).waitFor();
  await item.getByText("claude in ~").waitFor();
  expect(await audit(page)).toEqual([]);
  await item.getByRole("button", { name: "Edit" }).click();
  await item.getByLabel("Prompt").fill("triage the issues twice");
  await item.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await scheduled()).map(({ text }) => text)).toEqual(["triage the issues twice"]);
  await item.getByRole("button", { name: "Pause" }).click();
  await item.getByText("Paused").waitFor();
  await item.getByRole("button", { name: "Remove" }).click();
  await list.waitFor({ state: "detached" });
  expect(await scheduled()).toEqual([]);
});

it("a recording plays, pauses and seeks, and its pauses are short", async () => {
  const { stdout } = await runCli(["run", "-d", "--record", "--name", "reef", "--", "echo", "first"], {
    home: at.demo.home,
    vars: { AMUX_HOME: join(at.demo.place, "amux") },
  });
  const id = stdout.trim();
  // A viewer would change its size, which is recorded.
  await waitFor("its end", async () => {
    const all = await at.demo.ask<{ id: string; alive: boolean }[]>("GET", "/v1/sessions");
    return all.some((session) => session.id === id && !session.alive);
  });
  // The times of a real one depend on the machine.
  const file = join(at.demo.place, "amux/sessions", id, "recording.cast");
  const { header } = parseCast(readFileSync(file, "utf8"))!;
  const events = [
    { at: 0.1, kind: "o" as const, text: "first \u001b[32mgreen\u001b[0m\r\n" },
    { at: 0.6, kind: "o" as const, text: "second\r\n" },
    { at: 5.7, kind: "o" as const, text: "\u001b]0;x\u0007third\r\n" },
  ];
  writeFileSync(file, [...castLines({ header, events })].join(""));
  await visit(page, `/s/${id}`);
  await page.locator(".ended-session").waitFor();
  await page.getByLabel("Actions").click();
  await page.getByRole("button", { name: "Play recording" }).click();
  const dialog = page.getByRole("dialog", { name: "Recording of reef" });
  const rows = async (): Promise<string> => (await dialog.locator(".xterm-rows > div").allTextContents()).join("\n");
  await dialog.getByText(/\/ 0:02$/).waitFor();
  await expect.poll(rows).toContain("third");
  await dialog.getByRole("button", { name: "Play" }).waitFor();
  expect(await audit(page)).toEqual([]);
  await dialog.getByLabel("Position").fill("1");
  await expect.poll(rows).not.toContain("third");
  await expect.poll(rows).toMatch(/first.green\n+.*second/);
  await dialog.getByLabel("Speed").selectOption("8");
  await dialog.getByRole("button", { name: "Play" }).click();
  await expect.poll(rows).toContain("third");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
});
