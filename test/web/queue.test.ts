/** The queue of prompts in the page. */
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
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
