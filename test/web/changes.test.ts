/** What a session changed, and comments on it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CHANGING, writeDemoChanges } from "../../scripts/demo-changes.mjs";
import { waitFor } from "../support/wait-for.ts";
import { audit } from "./support/audit.ts";
import { rowOf, stage, visit } from "./support/browser.ts";
import { CLAUDE_WITH_TURNS, pathWithFakeAgents } from "./support/fake-agent.ts";

const LONG = 3000;
const DEAF = '#!/bin/bash\n[ "$1" = --version ] && exit 1\nstty -echo\necho Ready\nexec sleep 600\n';
const UNIFIED = encodeURIComponent(`claude:${CHANGING}`);

let repository: string;
const at = stage({
  history: false,
  vars: { PATH: pathWithFakeAgents(CLAUDE_WITH_TURNS), FAKE_HOOKS: "1" },
  prepare: (home) => void (repository = writeDemoChanges(home)),
});
let page: Page;

beforeAll(async () => {
  page = await at.open();
});

const files = (there = page) => there.locator(".file-head .path").allTextContents();
const line = (text: string) => page.locator(".change-line", { hasText: text });
const number = (text: string) => line(text).locator(".line-number");

describe("the changes of a past session", () => {
  it("name the message that made each hunk, with how sure that is, and open it", async () => {
    await visit(page, `/t/${UNIFIED}`);
    await page.getByRole("button", { name: "Changes", exact: true }).click();
    await expect.poll(files).toEqual(["README.md", "logo.png", "src/orders.ts", "src/refund.ts"]);
    const summary = page.locator(".changes-facts");
    await summary.getByText("4 files").waitFor();
    await page.locator(".change-note", { hasText: "Not text" }).waitFor();
    await page.locator(".hunk-head", { hasText: "not by a session we know" }).waitFor();
    await page.locator(".file-list").getByRole("button", { name: "src/refund.ts" }).click();
    const made = page.locator(".hunk-head", { hasText: "@@ −0,0" });
    await made.getByText("near in time and file, not proved").waitFor();
    await page.locator(".range-head", { hasText: "message 3 · proved by the recorded edit" }).first().waitFor();
    // Words and syntax are marked, and the text stays whole.
    await expect.poll(() => page.evaluate<number>('CSS.highlights.get("word-added")?.size ?? 0')).toBeGreaterThan(0);
    await expect.poll(() => page.evaluate<number>('CSS.highlights.get("code-keyword")?.size ?? 0')).toBeGreaterThan(0);
    expect(await audit(page)).toEqual([]);
    await made.getByRole("link", { name: /message 5$/ }).click();
    await page.waitForURL(/#m5$/);
    await page.locator(".message.marked", { hasText: "refund.ts" }).waitFor();
  });

  it("are filtered: by this session, staged, and since the last look, which the address keeps", async () => {
    await visit(page, `/t/${UNIFIED}?show=changes`);
    await page.getByRole("button", { name: "Only this session's" }).click();
    await expect.poll(files).toEqual(["src/orders.ts", "src/refund.ts"]);
    await page.reload();
    await expect.poll(files).toEqual(["src/orders.ts", "src/refund.ts"]);
    await page.getByRole("button", { name: "Only this session's" }).click();
    execFileSync("git", ["add", "README.md"], { cwd: repository });
    await page.getByRole("button", { name: "Staged" }).click();
    await expect.poll(files).toEqual(["README.md"]);
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(files).toHaveLength(4);
    await page.getByRole("button", { name: "Mark all as seen" }).click();
    await page.getByRole("button", { name: "Since I last looked" }).click();
    await page.getByText("No change matches the filter.").waitFor();
    writeFileSync(join(repository, "README.md"), "# Orders\n\nRun `npm run all` before you push.\n");
    await page.getByRole("button", { name: "Compare again" }).click();
    await expect.poll(files).toEqual(["README.md"]);
    writeFileSync(join(repository, "README.md"), "# Orders\n\nRun `npm run check` before you push.\n");
  });
});

describe("comments on changes", () => {
  it("are collected, sent to an agent as one message, and follow their code", async () => {
    const { session_id: id } = await at.demo.ask<{ session_id: string }>("POST", "/v1/launch", {
      agent: "claude",
      cwd: repository,
      name: "the fixer",
    });
    await page.locator(rowOf(id)).waitFor();
    // What was marked as seen is folded until the page is opened again.
    await page.goto(`${at.demo.origin}/t/${UNIFIED}?show=changes`);
    const field = page.getByLabel("Comment on the selected lines");
    await number("const cents").click();
    await number("return cents").click({ modifiers: ["Shift"] });
    await field.fill("Say why it is in cents.");
    await field.press("Control+Enter");
    await page.getByText("1 comment not sent").waitFor();
    // The second one by keys alone.
    await number("export function refund").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await field.fill("What if nothing is returned?");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("2 comments not sent").waitFor();
    expect(await audit(page)).toEqual([]);
    await page.getByLabel("Send to").locator("option", { hasText: "the fixer" }).waitFor({ state: "attached" });
    await page.getByLabel("Send to").selectOption({ label: "a new Claude Code session" });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.waitForURL((url) => url.pathname.startsWith("/s/") && url.pathname !== `/s/${id}`);
    const started = page.url().split("/").at(-1);
    const prompt = (await at.demo.ask<{ command: string[] }>("GET", `/v1/sessions/${started}`)).command.at(-1);
    for (const text of ["src/orders.ts", "Say why it is in cents.", "const cents", "What if nothing is returned?"])
      expect(prompt).toContain(text);
    await visit(page, `/t/${UNIFIED}?show=changes`);
    const card = (text: string) => page.locator(".comment-card", { hasText: text });
    await card("Say why").getByText("sent to a new session").waitFor();
    const orders = join(repository, "src/orders.ts");
    writeFileSync(orders, `// Money is counted in cents.\n${readFileSync(orders, "utf8")}`);
    const refund = join(repository, "src/refund.ts");
    writeFileSync(refund, 'export const refund = "elsewhere";\n');
    await page.getByRole("button", { name: "Compare again" }).click();
    await card("Say why").getByText("moved with its code").waitFor();
    await page.getByText("1 comment without visible lines").click();
    await card("What if nothing").getByText("code is gone").waitFor();
    await card("What if nothing").getByRole("button", { name: "Resolve" }).click();
    await card("What if nothing").getByText("resolved", { exact: true }).waitFor();
    await number("return db.query").click();
    await field.fill("Name the columns.\n\n- id\n- total");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Send to").selectOption({ label: "the fixer" });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".notice", { hasText: "The agent has the comments." }).waitFor();
    await card("Name the columns").getByText("sent", { exact: true }).waitFor();
    const resumeKey = await waitFor("its conversation", async () => {
      const session = await at.demo.ask<{ resume_key?: string }>("GET", `/v1/sessions/${id}`);
      return session.resume_key;
    });
    await visit(page, `/t/${encodeURIComponent(`claude:${resumeKey}`)}`);
    // One prompt, not one per line.
    await expect.poll(() => page.locator(".message").count()).toBe(1);
    await page.locator(".message", { hasText: "Name the columns." }).waitFor();
    await at.demo.ask("POST", `/v1/sessions/${id}/kill`);
  });

  it("that an agent did not accept can be sent again", async () => {
    // A program that shows nothing of what is typed, and only says its version.
    const bin = join(at.demo.place, "deaf");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "claude"), DEAF, { mode: 0o755 });
    const deaf = await at.demo.launch("", { command: [join(bin, "claude")], cwd: repository, name: "the deaf one" });
    await page.locator(rowOf(deaf)).waitFor();
    await visit(page, `/t/${UNIFIED}?show=changes`);
    await number("return db.query").click();
    await page.getByLabel("Comment on the selected lines").fill("Sort by date.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Send to").selectOption({ label: "the deaf one" });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("1 comment may not have arrived").waitFor();
    await page.locator(".comment-card", { hasText: "Sort by date." }).getByText("not accepted").waitFor();
    await page.getByLabel("Send to").selectOption({ label: "a new Claude Code session" });
    await page.getByRole("button", { name: "Send again" }).click();
    await page.waitForURL((url) => url.pathname.startsWith("/s/"));
    const started = page.url().split("/").at(-1);
    const prompt = (await at.demo.ask<{ command: string[] }>("GET", `/v1/sessions/${started}`)).command.at(-1);
    expect(prompt).toContain("Sort by date.");
    for (const id of [deaf, started]) await at.demo.ask("POST", `/v1/sessions/${id}/kill`);
  });
});

describe("the changes of a running session", () => {
  it("are compared again when its turn has ended, but not while a comment is written", async () => {
    const notes = join(repository, "notes.md");
    const { session_id: id } = await at.demo.ask<{ session_id: string }>("POST", "/v1/launch", {
      agent: "claude",
      cwd: repository,
      name: "the writer",
    });
    await page.locator(rowOf(id)).waitFor();
    await visit(page, `/s/${id}?show=changes`);
    await expect.poll(files).toContain("src/orders.ts");
    writeFileSync(notes, "first note\n");
    await at.demo.ask("POST", `/v1/sessions/${id}/message`, { text: "Write notes" });
    await expect.poll(files).toContain("notes.md");
    await page.locator(".file-list").getByRole("button", { name: "notes.md" }).click();
    await number("first note").click();
    const field = page.getByLabel("Comment on the selected lines");
    await field.fill("Half a thought");
    writeFileSync(notes, "second note\n");
    await at.demo.ask("POST", `/v1/sessions/${id}/message`, { text: "Write other notes" });
    await page.getByRole("button", { name: "The session went on: compare again" }).waitFor();
    expect(await field.inputValue()).toBe("Half a thought");
    await page.getByRole("button", { name: "Cancel" }).click();
    await line("second note").waitFor();
    await at.demo.ask("POST", `/v1/sessions/${id}/kill`);
  });

  it("draw only what is visible of thousands of lines, and fit a phone", async () => {
    writeFileSync(
      join(repository, "long.ts"),
      Array.from({ length: LONG }, (_, at) => `const n${at} = ${at};\n`).join(""),
    );
    const id = await at.demo.launch("exec sleep 600", { name: "generator", cwd: repository });
    await visit(page, `/s/${id}?show=changes`);
    await page.locator(".file-list").getByRole("button", { name: "long.ts" }).click();
    await line("const n0 =").waitFor();
    await page.locator(".changes-list .virtual").focus();
    await page.keyboard.press("End");
    await page.locator(".file-head", { hasText: "src/refund.ts" }).waitFor();
    expect(await page.locator(".change-line").count()).toBeLessThan(200);
    const phone = await at.open(
      { viewport: { width: 390, height: 740 }, hasTouch: true, isMobile: true },
      { path: `/s/${id}` },
    );
    await phone.getByRole("button", { name: "Changes", exact: true }).tap();
    await phone.locator(".change-line").first().waitFor();
    expect(await phone.evaluate<number>("document.documentElement.scrollWidth")).toBe(390);
    expect(await audit(phone)).toEqual([]);
    const numbers = phone.locator(".line-number");
    const chosen = phone.locator(".change-line.chosen");
    await numbers.first().tap();
    await phone.getByLabel("Comment on the selected lines").waitFor();
    await phone.getByRole("button", { name: "Cancel" }).tap();
    // The second tap extends, the third one begins anew.
    for (const [index, selected] of [
      [0, 1],
      [2, 3],
      [1, 1],
    ] as const) {
      await numbers.nth(index).tap();
      await expect.poll(() => chosen.count()).toBe(selected);
    }
    await phone.getByRole("button", { name: "Cancel" }).tap();
    await expect.poll(() => chosen.count()).toBe(0);
    // As voice control and screen readers press it.
    await numbers.nth(2).dispatchEvent("click");
    await expect.poll(() => chosen.count()).toBe(1);
    await phone.context().close();
  });

  it("have their own filter in each of two sessions side by side", async () => {
    const left = await at.demo.launch("exec sleep 600", { name: "left", cwd: repository });
    const right = await at.demo.launch("exec sleep 600", { name: "right", cwd: repository });
    await visit(page, `/s/${left}?show=changes&beside=${right}`);
    const [one, other] = [page.locator(".session-cell").first(), page.locator(".session-cell").nth(1)];
    await other.getByRole("button", { name: "Changes", exact: true }).click();
    await other.getByRole("button", { name: "Staged" }).click();
    await other.getByRole("button", { name: "Staged", pressed: true }).waitFor();
    expect(await one.getByRole("button", { name: "All", pressed: true }).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("changes")).toBe(null);
    expect(new URL(page.url()).searchParams.get("beside")).toBe(`${right}:changes`);
    await page.reload();
    await other.getByRole("button", { name: "Changes", pressed: true }).waitFor();
    await other.locator(".change-line").first().waitFor();
    await other.getByRole("button", { name: "Staged" }).click();
    await one.getByRole("button", { name: "Terminal", exact: true }).click();
    expect(await other.getByRole("button", { name: "Staged", pressed: true }).count()).toBe(1);
  });

  it("are refused with a sentence outside of a repository", async () => {
    const id = await at.demo.launch("exec sleep 600", { name: "nowhere", cwd: at.demo.place });
    await visit(page, `/s/${id}?show=changes`);
    await page.locator(".changes [role=alert]", { hasText: "repository" }).waitFor();
  });
});
