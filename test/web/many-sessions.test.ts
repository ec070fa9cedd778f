/** The Sessions table with far more past sessions than it can show. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { stage, visit } from "./support/browser.ts";
import { writePiConversation } from "./support/conversation.ts";

const COUNT = 300;

const at = stage({
  history: false,
  prepare: (home) => {
    for (let index = 0; index < COUNT; index++) {
      const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
      writePiConversation(home, id, join(home, `dev/project-${index % 20}`), [`Voyage ${index}`, "Aye"]);
    }
  },
});

it("draws only what is visible, and reaches every session by scrolling, sorting and filtering", async () => {
  const page = await at.open();
  await visit(page, "/sessions?sort=title");
  await page.locator(".sessions [role=status]", { hasText: `${COUNT} sessions` }).waitFor();
  const drawn = page.locator(".sessions-row:not(.head)");
  await drawn.getByText("Voyage 0", { exact: true }).waitFor();
  expect(await drawn.count()).toBeLessThan(100);
  expect(await page.getByRole("table", { name: "Sessions" }).getAttribute("aria-rowcount")).toBe(String(COUNT + 1));
  await page.locator(".sessions .virtual").evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await drawn.getByText("Voyage 99", { exact: true }).waitFor();
  expect(await drawn.count()).toBeLessThan(100);
  await page.getByRole("button", { name: "Title", exact: true }).click();
  await page.waitForURL(/sort=-title/);
  await page.getByLabel("Filter sessions by words and fields").fill("Voyage project:project-7");
  await page.locator(".sessions [role=status]", { hasText: "15 sessions" }).waitFor();
});
