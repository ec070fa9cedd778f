/** Sharing a session from the page: the link opens in a browser that was never signed in. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { audit } from "./support/audit.ts";
import { stage, visit } from "./support/browser.ts";
import { asked, replied, writeConversation } from "./support/conversation.ts";

const ID = "88888888-2222-4333-8444-555555555555";
const SECRET = ["ghp", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3"].join("_");

const at = stage({
  history: false,
  prepare(home) {
    const cwd = join(home, "dev/reef");
    mkdirSync(cwd, { recursive: true });
    writeConversation(home, ID, cwd, [
      asked(`Deploy the reef with ${SECRET}`),
      replied({ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: `deploy --token ${SECRET}` } }),
      asked([{ type: "tool_result", tool_use_id: "toolu_1", content: "<img src=x onerror=alert(1)> deployed" }]),
      replied({ type: "text", text: "The reef is deployed." }),
    ]);
  },
});

let page: Page;
beforeAll(async () => {
  page = await at.open();
});

it("a session is shared by a link, which is listed and revoked", async () => {
  await visit(page, `/t/claude:${ID}`);
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

  const stranger = await (await at.browser.newContext()).newPage();
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
