/** Two running sessions that edit the same file, in the sidebar and the attention strip. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rowOf, stage } from "./support/browser.ts";
import { asked, replied, writeConversation } from "./support/conversation.ts";
import { pathWithFakeAgents } from "./support/fake-agent.ts";

const KEYS = ["00000001-0000-4000-8000-000000000000", "00000002-0000-4000-8000-000000000000"];
let cwd = "";

const at = stage({
  history: false,
  vars: { PATH: pathWithFakeAgents() },
  prepare(home) {
    cwd = join(home, "shop");
    mkdirSync(cwd);
    for (const [index, key] of KEYS.entries()) {
      const input = {
        file_path: join(cwd, "tax.ts"),
        old_string: "const tax = 19;",
        new_string: `const tax = ${index}0;`,
      };
      const messages = [
        asked(["Fix the tax", "Round the tax"][index]),
        replied({ type: "tool_use", id: `toolu_${index}`, name: "Edit", input }),
        asked([{ type: "tool_result", tool_use_id: `toolu_${index}`, content: "done" }]),
        replied({ type: "text", text: "Done." }),
      ];
      writeConversation(home, key, cwd, messages, Date.now() - 60_000);
    }
  },
});

it("both rows are marked, and one card names both sessions; it opens one of them and can be snoozed", async () => {
  const page = await at.open();
  const start = async (key: string): Promise<string> => {
    const request = { agent: "claude", args: ["--resume", key], cwd };
    return (await at.demo.ask<{ session_id: string }>("POST", "/v1/launch", request)).session_id;
  };
  const ids = await Promise.all(KEYS.map(start));
  for (const id of ids) await page.locator(`${rowOf(id)} .badge`, { hasText: "conflict" }).waitFor();
  const card = page.locator(".card.conflict");
  expect(await card.textContent()).toContain("Both edit the same lines of");
  expect(await page.title(), "it is no waiting session").toBe("amux");
  await card.getByRole("button", { name: "Open" }).click();
  await expect.poll(() => ids.some((id) => page.url().endsWith(`/s/${id}`))).toBe(true);
  await card.getByLabel("Snooze").click();
  await card.getByRole("button", { name: "1 hour" }).click();
  await card.waitFor({ state: "detached" });
});
