/** Reading a long conversation: find, filter, jump, copy. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { audit } from "./support/audit.ts";
import { stage, visit } from "./support/browser.ts";
import { asked, replied, writeConversation } from "./support/conversation.ts";

const ID = "77777777-2222-4333-8444-555555555555";
const PATH = `/t/claude:${ID}`;
const TURNS = 40;

const at = stage({ history: false, prepare });
let page: Page;

/** Forty turns; in the twentieth a command fails, in the thirtieth a file is changed. */
function prepare(home: string): void {
  const cwd = join(home, "dev/reef");
  mkdirSync(cwd, { recursive: true });
  const turns = Array.from({ length: TURNS }, (_, turn) => {
    const id = `toolu_${turn}`;
    const input =
      turn === 30
        ? { file_path: "reef.ts", old_string: "const depth = 1;", new_string: "const depth = 2;" }
        : { command: `sound --turn ${turn}` };
    const output = turn === 20 ? "no such harbour" : `first line of ${turn}\nsecond line\nthe anchor of ${turn}`;
    return [
      asked(`Prompt number ${turn}`),
      replied({ type: "tool_use", id, name: turn === 30 ? "Edit" : "Bash", input }),
      asked([{ type: "tool_result", tool_use_id: id, content: output, is_error: turn === 20 }]),
      replied({ type: "text", text: `Answer ${turn}\n\n\`\`\`ts\nconst turn = ${turn};\n\`\`\`` }),
    ];
  });
  const failed = { ...replied({ type: "text", text: "" }), content: [{ type: "text", text: API_ERROR }] };
  writeConversation(home, ID, cwd, [...turns.flat(), asked("One more"), failed]);
}

const API_ERROR = 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';

beforeAll(async () => {
  page = await at.open();
});

const find = () => page.getByLabel("Find in this session");

describe("a transcript", () => {
  it("shows tool results folded, with their first line once", async () => {
    await visit(page, PATH);
    const result = page.locator(".tool-result").first();
    await result.getByText("first line of 0").waitFor();
    await result.getByText("2 more lines").waitFor();
    expect(await result.locator("details").getAttribute("open")).toBeNull();
    await result.locator("summary").click();
    await result.getByText("the anchor of 0").waitFor();
    expect(await result.getByText("first line of 0").and(page.locator(":visible")).count()).toBe(1);
  });

  it("finds a text anywhere in it, marks it, and goes from one to the next", async () => {
    await visit(page, PATH);
    await page.locator('[data-index="0"]').waitFor();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("anchor of 3");
    await page.locator(".find-count").getByText("11", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".find-count").getByText("1 of 11").waitFor();
    await page.locator(".message.marked", { hasText: "the anchor of 3" }).waitFor();
    const marked = (): Promise<string[]> =>
      page.evaluate<string[]>(`[...(CSS.highlights.get("found") ?? [])].map((range) => range.toString())`);
    await expect.poll(marked).toContain("anchor of 3");
    await page.keyboard.press("Shift+Enter");
    await page.locator(".find-count").getByText("11 of 11").waitFor();
    await page.locator(".message.marked", { hasText: "the anchor of 39" }).waitFor();
    // It is in the address, so another tab has it.
    expect(page.url()).toContain("find=anchor+of+3");
    await find().fill("nowhere at all");
    await page.getByText("No matches").waitFor();
    await page.keyboard.press("Escape");
    expect(await find().inputValue()).toBe("");
  });

  it("can be searched as soon as its messages are there", async () => {
    await visit(page, "/overview");
    const taken = page.evaluate<boolean>(`new Promise((resolve) => {
      const watch = new MutationObserver(() => {
        if (document.querySelector("[data-index]") === null) return;
        watch.disconnect();
        const press = new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true, cancelable: true });
        document.body.dispatchEvent(press);
        resolve(press.defaultPrevented);
      });
      watch.observe(document.body, { childList: true, subtree: true });
    })`);
    await visit(page, PATH);
    expect(await taken).toBe(true);
  });

  it("shows only prompts, edits, errors or tools", async () => {
    await visit(page, PATH);
    const show = page.getByRole("group", { name: "Show" });
    await show.getByRole("button", { name: "Errors" }).click();
    await page.waitForURL(/only=errors/);
    // The call, its result, and the service's error.
    await expect.poll(() => page.locator(".message").count()).toBe(3);
    await page.locator("pre", { hasText: "no such harbour" }).waitFor();
    await page.getByText("API error 529: Overloaded").waitFor();
    await show.getByRole("button", { name: "Edits" }).click();
    await expect.poll(() => page.locator(".message").count()).toBe(1);
    await page.locator(".diff .line-added", { hasText: "depth = 2" }).waitFor();
    await show.getByRole("button", { name: "Prompts" }).click();
    await page.getByText("Prompt number 1", { exact: true }).waitFor();
    expect(await page.locator(".message:not(.user)").count()).toBe(0);
    await show.getByRole("button", { name: "All" }).click();
    await page.locator(".message.assistant").first().waitFor();
  });

  it("goes to the next error, edit or prompt", async () => {
    await visit(page, PATH);
    await page.locator('[data-index="0"]').waitFor();
    await page.getByLabel("Jump to").selectOption("error");
    await page.getByRole("button", { name: "Next error" }).click();
    await page.locator(".message.marked", { hasText: "sound --turn 20" }).waitFor();
    await page.getByLabel("Jump to").selectOption("edit");
    await page.getByRole("button", { name: "Next edit" }).click();
    await page.locator(".message.marked .diff").waitFor();
    await page.getByLabel("Jump to").selectOption("prompt");
    await page.getByRole("button", { name: "Previous prompt" }).click();
    await page.locator(".message.marked", { hasText: "Prompt number 30" }).waitFor();
  });

  it("copies a message, or a block of code in it", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await visit(page, `${PATH}#m3`);
    const message = page.locator(".message.marked", { hasText: "Answer 0" });
    await message.hover();
    // It says so only for a moment, which a look from here could miss.
    const isSaid = `new Promise((resolve) => {
      const watch = new MutationObserver(() => {
        if (document.querySelector('.message.marked [aria-label="Copied"]') === null) return;
        watch.disconnect();
        resolve();
      });
      watch.observe(document.body, { attributes: true, subtree: true });
    })`;
    await Promise.all([page.evaluate(isSaid), message.getByRole("button", { name: "Copy this message" }).click()]);
    const copied = (): Promise<string> => page.evaluate<string>("navigator.clipboard.readText()");
    expect(await copied()).toMatch(/^Answer 0/);
    await message.locator(".code-block").hover();
    await message.locator(".code-block").getByRole("button", { name: "Copy" }).click();
    await expect.poll(copied).toBe("const turn = 0;");
  });

  it("colours code and diffs without changing their text", async () => {
    await visit(page, `${PATH}#m3`);
    const coloured = (name: string): Promise<string[]> =>
      page.evaluate<string[]>(
        `[...(CSS.highlights.get("code-${name}") ?? [])].map((range) => range.startContainer.data.slice(range.startOffset, range.endOffset))`,
      );
    await expect.poll(() => coloured("keyword")).toContain("const");
    await expect.poll(() => coloured("number")).toContain("0");
    await visit(page, `${PATH}#m121`);
    await page.locator(".diff .line-added", { hasText: "const depth = 2" }).waitFor();
    await expect.poll(() => coloured("number")).toContain("2");
    expect(
      await page
        .locator(".diff .line-added")
        .first()
        .evaluate((line) => line.childNodes.length),
    ).toBe(1);
  });

  it("has a timeline with the duration of every turn, which leads to each", async () => {
    await visit(page, PATH);
    const timeline = page.locator(".timeline");
    await timeline.getByText(`Timeline: ${TURNS + 1} turns`).click();
    const row = timeline.getByRole("button", { name: "Prompt number 25" });
    await row.getByText("3.0 s").waitFor();
    expect(await audit(page)).toEqual([]);
    await row.click();
    await page.locator(".message.marked", { hasText: "Prompt number 25" }).waitFor();
    await timeline.getByText(/^Timeline/).click();
  });
});
