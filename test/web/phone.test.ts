/** The page on a phone. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { askPermission } from "./support/ask-permission.ts";
import { audit } from "./support/audit.ts";
import { rowOf, stage, untilScreen, visit } from "./support/browser.ts";
import { pathWithFakeAgents } from "./support/fake-agent.ts";
import { report } from "./support/report.ts";

const at = stage({ history: false, vars: { PATH: pathWithFakeAgents(), FAKE_HOOKS: "1", FAKE_CLEARS: "1" } });
let phone: Page;

beforeAll(async () => {
  phone = await at.open({ viewport: { width: 390, height: 740 }, hasTouch: true, isMobile: true });
});

function shell(name: string): Promise<string> {
  return at.demo.launch("PS1='$ ' exec bash --norc --noprofile -i", { name });
}

async function claude(name: string): Promise<string> {
  const { session_id } = await at.demo.ask<{ session_id: string }>("POST", "/v1/launch", {
    agent: "claude",
    cwd: at.demo.home,
    name,
  });
  return session_id;
}

describe("an agent's session", () => {
  it("shows the last messages and takes the next one; the terminal is one tap away", async () => {
    const id = await claude("courier");
    await visit(phone, "/list");
    await phone.locator(`${rowOf(id)} .row-main`).tap();
    await phone.getByText("No messages yet").waitFor();
    await phone.getByLabel("Message to courier").fill("Where is the harbour?");
    await phone.getByRole("button", { name: "Send", exact: true }).tap();
    await phone.locator(".message.user", { hasText: "Where is the harbour?" }).waitFor();
    await phone.locator(".message.assistant").waitFor();
    await expect.poll(() => phone.getByLabel("Message to courier").inputValue()).toBe("");
    expect(await phone.locator(".term-box").count()).toBe(0);
    expect(await audit(phone)).toEqual([]);
    await phone.getByRole("button", { name: "Terminal", exact: true }).tap();
    await phone.locator('.pane[data-state="open"]').waitFor();
    await phone.getByRole("button", { name: "Messages", exact: true }).tap();
    await phone.locator(".message.user").waitFor();
    await phone.locator(".view-actions").getByRole("link", { name: "Transcript" }).tap();
    const targets = phone.locator(".message-head").first().locator("a, button:visible");
    await phone.locator(".go-on-here").first().waitFor();
    const sizes = await targets.evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height)),
    );
    expect(sizes.length).toBe(2);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(44);
  });

  it("shows large answer buttons above a closed composer", async () => {
    const id = await claude("careful");
    await visit(phone, `/s/${id}`);
    const decision = askPermission(at.demo, id);
    const question = phone.getByRole("group", { name: "Needs you" });
    const allow = question.getByRole("button", { name: "Allow" });
    const deny = question.getByRole("button", { name: "Deny" });
    await allow.waitFor();
    const [one, other] = [(await allow.boundingBox())!, (await deny.boundingBox())!];
    const apart = Math.max(other.y - one.y - one.height, one.y - other.y - other.height);
    expect(apart).toBeGreaterThanOrEqual(12);
    expect(Math.min(one.height, other.height)).toBeGreaterThanOrEqual(44);
    expect(await phone.getByLabel("Message to careful").isDisabled()).toBe(true);
    expect(await audit(phone)).toEqual([]);
    await deny.tap();
    expect(await decision).toContain('"behavior":"deny"');
    await question.waitFor({ state: "detached" });
  });
});

describe("a question that appears while a message is written", () => {
  it("does not get the message as its answer", async () => {
    const id = await claude("abrupt");
    await visit(phone, `/s/${id}`);
    await phone.getByLabel("Message to abrupt").fill("Also fix the tests");
    await report(at.demo, id, { state: "waiting", message: "Delete the database?" });
    await phone.locator(".talk-text", { hasText: "Delete the database?" }).waitFor();
    const field = phone.getByLabel("Reply to abrupt");
    await field.waitFor();
    const answers: string[] = [];
    phone.on("request", (request) => {
      if (request.url().endsWith(`/v1/sessions/${id}/answer`)) answers.push(request.postData() ?? "");
    });
    const send = phone.getByRole("button", { name: "Send", exact: true });
    await send.tap();
    await phone.getByText(/^Not sent: the agent asked a question/).waitFor();
    expect([answers, await field.inputValue()]).toEqual([[], "Also fix the tests"]);
    // It was read, so now it is meant.
    await send.tap();
    await expect.poll(() => answers.length).toBe(1);
    expect(answers[0]).toContain("Also fix the tests");
    await report(at.demo, id, { state: "idle" });
  });
});

describe("several terminals of one session", () => {
  it("share one key bar, which types into the one used last", async () => {
    const id = await shell("two on the road");
    await visit(phone, `/s/${id}`);
    await untilScreen(phone, /\$/);
    await phone.getByLabel("Actions").tap();
    await phone.getByRole("button", { name: "Split terminal" }).tap();
    const cells = phone.locator(".terminal-cell");
    await cells.nth(1).locator('.pane[data-state="open"]').waitFor();
    expect(await phone.getByRole("toolbar", { name: "Terminal keys" }).count()).toBe(1);
    await cells.nth(0).locator(".term-box").tap();
    await phone.getByRole("button", { name: "Interrupt" }).tap();
    await cells.nth(0).locator(".xterm-rows", { hasText: "^C" }).waitFor();
    expect(await cells.nth(1).locator(".xterm-rows").textContent()).not.toContain("^C");
  });

  it("leave the key bar to another one when the one used last is ended", async () => {
    const id = await shell("one of two");
    await visit(phone, `/s/${id}`);
    await untilScreen(phone, /\$/);
    await phone.getByLabel("Actions").tap();
    await phone.getByRole("button", { name: "Split terminal" }).tap();
    const cells = phone.locator(".terminal-cell");
    await cells.nth(1).locator('.pane[data-state="open"]').waitFor();
    await cells.nth(1).locator(".term-box").tap();
    await cells.nth(1).getByRole("button", { name: "End this terminal" }).tap();
    await expect.poll(() => cells.count()).toBe(1);
    await phone.getByRole("button", { name: "Interrupt" }).tap();
    await untilScreen(phone, /\^C/);
  });
});

describe("a shell", () => {
  it("is chosen from the list and shown with the keys a phone lacks", async () => {
    const id = await shell("on the road");
    await visit(phone, "/list");
    await phone.locator(`${rowOf(id)} .row-main`).tap();
    await untilScreen(phone, /\$/);
    expect(await phone.locator(".sidebar").isVisible()).toBe(false);
    await phone.locator(".term-box").tap();
    // The typed line is there before the shell has started anything that could be interrupted.
    await phone.keyboard.type("bash -c 'echo it ru\"\"ns; sleep 600'\n");
    await untilScreen(phone, /^it runs$/m);
    await phone.getByRole("button", { name: "Interrupt" }).tap();
    // Before its prompt, the shell would not take Ctrl+D for the end.
    await untilScreen(phone, /\^C\s*\$/);
    await phone.getByRole("button", { name: "ctrl" }).tap();
    await phone.keyboard.type("d");
    await phone
      .getByText(/^(?:Ended|Exited)/)
      .first()
      .waitFor();
    await phone.getByRole("link", { name: "All sessions" }).tap();
    await phone.locator(rowOf(id)).waitFor();
    // Buttons are large enough for a thumb.
    const asking = await shell("asks on the road");
    await report(at.demo, asking, { state: "waiting", message: "Now?" });
    const buttons = phone.locator(`.attention [data-session="${asking}"] .card-answer > :is(button, details, form)`);
    await buttons.first().waitFor();
    const heights = await buttons.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    await report(at.demo, asking, { state: "idle" });
    const width = await phone.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
  });
});

describe("every view", () => {
  it("has targets of the size of a fingertip, and no sideways scrolling", async () => {
    await report(at.demo, await shell("one who asks"), { state: "waiting", message: "Which way?" });
    const small: string[] = [];
    for (const path of ["/list", "/overview", "/sessions", "/search?q=harbour", "/cost", "/settings"]) {
      await visit(phone, path);
      await phone
        .locator(path === "/list" ? ".row" : "main h1")
        .first()
        .waitFor({ state: "attached" });
      const view = ".view-list, main .scroll, main .sessions-table, main .search-body";
      await phone.locator(view).first().waitFor({ state: "attached" });
      const found = await phone.evaluate<
        string[]
      >(`[...document.querySelectorAll("button, summary, select, .button, .icon-button, .field")]
        .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .map((one) => [one, one.getBoundingClientRect()])
        .filter(([, { width, height }]) => width > 0 && height > 0 && height < 44)
        .map(([one, { height }]) => (one.getAttribute("aria-label") ?? one.textContent).trim() + ": " + height)`);
      small.push(...found.map((text) => `${path} ${text}`));
      expect(await phone.evaluate<number>("document.documentElement.scrollWidth"), path).toBe(390);
    }
    expect(small).toEqual([]);
  });
});
