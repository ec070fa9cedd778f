/** Live sessions in the browser, with one daemon and one browser. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { MuxSession } from "../../src/protocol/mux-session.ts";
import { askPermission } from "./support/ask-permission.ts";
import { report } from "./support/report.ts";
import { newPage, rowOf, screenText, stage, untilScreen } from "./support/browser.ts";

const at = stage({ history: false });
let page: Page;

beforeAll(async () => {
  page = await at.open({ serviceWorkers: "allow" });
});

async function sessionOf(id: string): Promise<MuxSession> {
  return at.demo.ask<MuxSession>("GET", `/v1/sessions/${id}`);
}

/** Delays text messages about a terminal, as on a busy machine, and keeps the order. */
const DELAY_SIZES = `
  const listen = WebSocket.prototype.addEventListener;
  WebSocket.prototype.addEventListener = function (type, listener) {
    if (type !== "message") return listen.call(this, type, listener);
    let before = Promise.resolve();
    listen.call(this, type, (event) => {
      const pause = typeof event.data === "string" ? 400 : 0;
      before = before.then(() => new Promise((go) => setTimeout(go, pause))).then(() => listener(event));
    });
  };`;

/** A shell with a prompt that is easy to wait for. */
function shell(name: string): Promise<string> {
  return at.demo.launch("PS1='$ ' exec bash --norc --noprofile -i", { name });
}

/** Keys go to the terminal once it is open, and to the page after it is left. */
async function leaveTerminal(): Promise<void> {
  const focused = page.locator(".xterm :focus");
  await focused.waitFor({ state: "attached" });
  await page.keyboard.press("Shift+Escape");
  await focused.waitFor({ state: "detached" });
}

describe("logging in", () => {
  it("accepts a link once, and the token at any time", async () => {
    const link = await at.demo.loginLink();
    const other = await newPage(at.browser);
    await other.goto(link);
    await other.waitForSelector(".page .connection.live");
    await other.context().clearCookies();
    await other.goto(link);
    await other.waitForSelector("[role=alert]");
    expect(await other.textContent("[role=alert]")).toMatch(/expired or was already used/);
    await other.getByLabel("Token").fill("wrong");
    await other.keyboard.press("Enter");
    await expect.poll(() => other.textContent("[role=alert]")).toMatch(/Wrong token/);
    await other.context().close();
  });
});

describe("a session", () => {
  let id: string;

  it("is launched by keys alone, typed into and seen", async () => {
    await page.keyboard.press("n");
    await page.getByLabel("Folder").fill(at.demo.home);
    await page.getByRole("textbox", { name: "Command" }).fill("env 'PS1=$ ' bash --norc --noprofile -i");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/s\/sess-/);
    id = /sess-\w+/.exec(page.url())![0];
    await untilScreen(page, /\$/);
    await page.keyboard.type("echo he''llo\n");
    await untilScreen(page, /^hello$/m);
  });

  it("is there after a reload", async () => {
    await page.reload();
    await untilScreen(page, /^hello$/m);
    expect(page.url()).toContain(id);
  });

  it("appears even if its screen size arrives late", async () => {
    const view = { path: `/s/${id}`, script: DELAY_SIZES };
    const other = await at.open({ viewport: { width: 1400, height: 1200 } }, view);
    await untilScreen(other, /^hello$/m);
    await other.context().close();
  });

  it("is seen and typed into by a second viewer, whose size applies until it is taken over", async () => {
    const other = await at.open({ viewport: { width: 900, height: 600 } }, { path: `/s/${id}` });
    await untilScreen(other, /^hello$/m);
    await other.keyboard.type("echo from $((1+1))\n");
    await untilScreen(page, /^from 2$/m);
    const pill = page.getByRole("button", { name: /Sized for another viewer/ });
    // A browser may treat a visible window as hidden, and then its size does not count.
    const tell = 'document.dispatchEvent(new Event("visibilitychange"))';
    await page.evaluate(
      `Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true }); ${tell}`,
    );
    await pill.click();
    await expect.poll(() => pill.count()).toBe(0);
    await page.evaluate(`delete document.visibilityState; ${tell}`);
    await other.getByRole("button", { name: /Sized for another viewer/ }).waitFor();
    await other.context().close();
  });

  it("keeps running when it is closed, and can be opened again", async () => {
    await page.getByRole("button", { name: /^Close/ }).click();
    await page.waitForURL(/overview/);
    expect((await sessionOf(id)).alive).toBe(true);
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /^hello$/m);
    // Selected again, it takes keys again.
    await page.getByLabel("Filter sessions").focus();
    await page.locator(`${rowOf(id)} .row-main`).click();
    await page.locator(".xterm :focus").waitFor({ state: "attached" });
  });

  it("survives the daemon, and the page says what is happening", async () => {
    await at.demo.kill("SIGKILL");
    await page.getByRole("alert").getByText("Cannot reach the daemon").waitFor();
    // The relay is a process of its own, and may outlive the daemon for a moment.
    await page.waitForSelector('.pane[data-state="lost"]');
    await at.demo.start();
    await page.waitForSelector(".connection.live");
    await page.waitForSelector('.pane[data-state="open"]');
    await untilScreen(page, /^hello$/m);
    await page.locator(".term-box").click();
    await page.keyboard.type("echo still $((40+2))\n");
    await untilScreen(page, /^still 42$/m);
    // The line continues where it stopped, and nothing shows twice.
    expect((await screenText(page)).match(/^hello$/gm)).toHaveLength(1);
  });

  it("finds text in its terminal", async () => {
    await page.keyboard.press("Control+Shift+F");
    await page.getByLabel("Find in terminal").fill("still");
    await page.getByRole("status").getByText(/of \d/).waitFor();
    await page.keyboard.press("Escape");
  });

  it("shows its last screen when it has ended, and returns when it is resumed", async () => {
    await page.locator(".term-box").click();
    await page.keyboard.type("exit 3\n");
    await page.getByText(/^Exited \(3\)/).waitFor();
    await untilScreen(page, /^still 42$/m);
    expect(await page.locator(`${rowOf(id)}.dead .row-note`).textContent()).toBe("exited (3)");
    await page.locator(".banner").getByRole("button", { name: "Run again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
    await page.waitForSelector('.pane[data-state="open"]');
    await expect.poll(async () => (await sessionOf(id)).alive).toBe(true);
    await untilScreen(page, /^\$/m);
  });

  it("is removed when it is dismissed, not before the daemon confirms it, and can be brought back", async () => {
    await page.locator(rowOf(id)).hover();
    await page.locator(rowOf(id)).getByRole("button", { name: "End and remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End and remove" }).click();
    await page.locator(rowOf(id)).waitFor({ state: "detached" });
    await expect(sessionOf(id)).rejects.toThrow("not_found");
    await page.locator(".notice", { hasText: "dismissed" }).getByRole("button", { name: "Undo" }).click();
    await page.locator(`${rowOf(id)}.dead`).waitFor();
    await page.locator(rowOf(id)).hover();
    await page.locator(rowOf(id)).getByRole("button", { name: "Dismiss" }).click();
    await page.locator(rowOf(id)).waitFor({ state: "detached" });
  });
});

describe("attention", () => {
  let other: string;

  /** The daemon hears from every session by itself, also from those of the tests before. */
  const waiting = (): Promise<unknown[]> => at.demo.ask("GET", "/v1/attention");

  /** At a session that nothing happens in. */
  async function lookElsewhere(): Promise<void> {
    other ??= await shell("bystander");
    await page.locator(`${rowOf(other)} .row-main`).click();
  }

  it("shows waiting sessions first, counts them in the title, and accepts an answer", async () => {
    const asking = await at.demo.launch("printf 'name? '; read -r name; echo \"hello $name\"; sleep 600", {
      name: "asker",
    });
    await lookElsewhere();
    await report(at.demo, asking, { state: "waiting", message: "What is your name?" });
    const card = page.locator(`.attention [data-session="${asking}"]`);
    await card.getByText("What is your name?").waitFor();
    expect(await page.textContent(".attention h2")).toContain("1 session needs you");
    await expect.poll(() => page.title()).toMatch(/^\(1\)/);
    await expect.poll(() => page.locator('link[rel="icon"]').getAttribute("href")).toMatch(/^data:image\/png/);
    expect(await page.locator(`${rowOf(asking)} .dot`).getAttribute("class")).toContain("needs");
    await card.getByLabel("Reply").fill("Ada");
    await page.keyboard.press("Enter");
    // The card goes with a note that it was sent, though the program still waits.
    await page.getByText("Sent to asker: Ada").waitFor();
    await expect.poll(() => page.locator(".attention").count()).toBe(0);
    await page.locator(`${rowOf(asking)} .row-main`).click();
    await untilScreen(page, /hello Ada/);
    await report(at.demo, asking, { state: "idle" });
  });

  it("drops a question that a program asked about itself as soon as it is answered", async () => {
    const asking = await at.demo.launch('read -r word; echo "got $word"; exec sleep 600', { name: "deploy" });
    await lookElsewhere();
    await report(at.demo, asking, { state: "waiting", message: "Deploy now?", source: "agent" });
    const card = page.locator(`.attention [data-session="${asking}"]`);
    await card.getByLabel("Reply").fill("y");
    await card.getByRole("button", { name: "Send" }).click();
    await page.getByText("Sent to deploy: y").waitFor();
    await card.waitFor({ state: "detached" });
    await page.locator(`${rowOf(asking)} .row-main`).click();
    await untilScreen(page, /got y/);
    // It stays away after a reload, and the next reply cannot go to a program that asks nothing.
    await page.reload();
    await page.locator(rowOf(asking)).waitFor();
    await expect.poll(waiting).toEqual([]);
  });

  it("offers the options on the screen, and nothing that cannot work", async () => {
    const screen = join(import.meta.dirname, "../../src/agents/gemini/fixtures/screens/permission.txt");
    const choice = join(import.meta.dirname, "../status/support/choice.mjs");
    const asking = await at.demo.launch(
      `exec '${process.execPath}' '${choice}' '${screen}' 'Allow once' 'Allow for' 'No, suggest'`,
      { name: "chooser" },
    );
    const blank = await shell("opaque");
    await lookElsewhere();
    await report(at.demo, asking, { state: "permission", message: "May I choose?" });
    await report(at.demo, blank, { state: "permission", message: "May I guess?" });
    const opaque = page.locator(`.attention [data-session="${blank}"]`);
    await opaque.getByText("May I guess?").waitFor();
    expect(await opaque.getByRole("button", { name: /Allow|Deny/ }).count()).toBe(0);
    const card = page.locator(`.attention [data-session="${asking}"]`);
    await card.getByRole("button", { name: "Allow for this session" }).click();
    await page.getByText("Sent to chooser: Allow for this session").waitFor();
    await expect.poll(() => card.count()).toBe(0);
    await page.locator(`${rowOf(asking)} .row-main`).click();
    await untilScreen(page, /took:Allow for:/);
    for (const id of [asking, blank]) await report(at.demo, id, { state: "idle" });
  });

  it("hides a snoozed session for a while", async () => {
    const asking = await shell("patient");
    await lookElsewhere();
    await report(at.demo, asking, { state: "waiting", message: "Now or later?" });
    const card = page.locator(`.attention [data-session="${asking}"]`);
    await card.getByText("Now or later?").waitFor();
    await card.getByLabel("Snooze").click();
    await card.getByRole("button", { name: "15 minutes" }).click();
    await expect.poll(() => card.count()).toBe(0);
    // It still asks; only the reminder is off.
    await expect.poll(waiting).toEqual([]);
    await page.locator(".notice", { hasText: "is snoozed" }).getByRole("button", { name: "Undo" }).click();
    await card.waitFor();
    // Its own view says until when, and wakes it.
    await at.demo.ask("POST", `/v1/sessions/${asking}/snooze`, { seconds: 3600 });
    await expect.poll(() => card.count()).toBe(0);
    await page.locator(`${rowOf(asking)} .row-main`).click();
    await page.getByRole("button", { name: /^Snoozed until \d/ }).click();
    await lookElsewhere();
    await card.waitFor();
    // Hidden, it is one line, and stays that way.
    await page.getByRole("button", { name: "Hide", exact: true }).click();
    await card.waitFor({ state: "detached" });
    await page.locator(".attention h2", { hasText: "1 session needs you" }).waitFor();
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await card.waitFor();
    await report(at.demo, asking, { state: "idle" });
  });

  it("allows what an agent's hook waits for", async () => {
    const asking = await shell("careful");
    await lookElsewhere();
    const decision = askPermission(at.demo, asking);
    const card = page.locator(`.attention [data-session="${asking}"]`);
    await card.getByRole("button", { name: "Allow" }).click();
    expect(await decision).toContain('"behavior":"allow"');
    await expect.poll(() => card.count()).toBe(0);
  });

  it("shows working, errors and pins as the daemon reports them", async () => {
    const id = await shell("worker");
    const dot = page.locator(`${rowOf(id)} .dot`);
    await at.demo.ask("PUT", `/v1/sessions/${id}/status`, { label: "", working: true });
    await expect.poll(() => dot.getAttribute("class")).toContain("working");
    await at.demo.ask("PUT", `/v1/sessions/${id}/status`, { label: "tests: 3 failed", working: false, error: true });
    await expect.poll(() => dot.getAttribute("class")).toContain("error");
    await page.locator(rowOf(id)).getByText("tests: 3 failed").waitFor();
    await page.locator(rowOf(id)).hover();
    await page.locator(rowOf(id)).getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByRole("region", { name: "Pinned" }).locator(`[data-session="${id}"]`).waitFor();
    const { pins } = await at.demo.ask<{ pins: string[] }>("GET", "/v1/projects");
    expect(pins).toEqual([id]);
  });
});

describe("the keyboard", () => {
  it("finds a session in the palette and moves through the list", async () => {
    const wanted = await shell("needle in a haystack");
    await page.locator(rowOf(wanted)).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command" }).waitFor();
    await page.keyboard.type("needle");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(wanted));
    await untilScreen(page, /\$/);
    // Out of the terminal, along the list, into another session.
    await leaveTerminal();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname.startsWith("/s/") && !url.pathname.includes(wanted));
    await leaveTerminal();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.waitForURL(/\/cost/);
    await page.keyboard.press("/");
    await page.keyboard.type("haystack");
    await expect.poll(() => page.locator(".groups .row").count()).toBe(1);
    await page.getByLabel("Filter sessions").fill("");
  });
});

describe("an address in a terminal", () => {
  it("opens in its own tab when it is readable, and needs a confirmation when other text hides it", async () => {
    await page.context().route("https://sails.example/**", (route) => route.fulfill({ body: "sails" }));
    const hidden = String.raw`printf '\033]8;;https://sails.example/hidden\033\\words\033]8;;\033\\\n'`;
    const id = await at.demo.launch(`echo https://sails.example/plain; ${hidden}; sleep 600`);
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /sails\.example\/plain[\s\S]*words/);
    // The terminal gets the size of the window once, and would forget the link under the pointer.
    await page.locator(".term-box:not(.larger)").waitFor();
    const opened = async (act: () => Promise<void>): Promise<string> => {
      const [tab] = await Promise.all([page.context().waitForEvent("page"), act()]);
      await tab.waitForURL(/sails/);
      const address = tab.url();
      expect(await tab.evaluate("window.opener")).toBeNull();
      await tab.close();
      return address;
    };
    const clickOn = async (text: string): Promise<void> => {
      const box = (await page.locator(".xterm-rows > div", { hasText: text }).first().boundingBox())!;
      await page.mouse.move(box.x + 4, box.y + 4);
      await page.mouse.move(box.x + 12, box.y + 6);
      await page.locator(".xterm-cursor-pointer").first().waitFor();
      await page.mouse.click(box.x + 12, box.y + 6);
    };
    expect(await opened(() => clickOn("https://sails.example/plain"))).toBe("https://sails.example/plain");
    await clickOn("words");
    await page.getByText("Link to https://sails.example/hidden").waitFor();
    const ask = (): Promise<void> => page.locator(".notices").getByRole("button", { name: "Open" }).click();
    expect(await opened(ask)).toBe("https://sails.example/hidden");
  });
});

describe("hostile programs", () => {
  it("draw, and do nothing else", async () => {
    const evil = "<img src=x onerror=alert(1)>";
    const script = [
      String.raw`printf '\033]2;${evil}\007'`,
      String.raw`printf '%s\n' '<script>alert(2)</script>'`,
      String.raw`printf '\033]8;;javascript:alert(3)\033\\click\033]8;;\033\\\n'`,
      String.raw`printf '\033]7777;{"label":"${evil}","working":false}\007'`,
      // Only output that arrives while it is shown can ask for something.
      "echo done; read -r _",
      String.raw`printf '\033]52;c;?\007\033]52;c;%s\007' "$(printf stolen | base64)"`,
      "sleep 600",
    ].join("; ");
    const id = await at.demo.launch(script);
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /<script>alert\(2\)<\/script>[\s\S]*done/);
    await expect.poll(() => page.locator(`${rowOf(id)} .row-title`).textContent()).toBe(evil);
    expect(await page.locator("img[src='x'], main script").count()).toBe(0);
    const link = await page.locator(".xterm-rows span", { hasText: "click" }).last().boundingBox();
    await page.mouse.click(link!.x + 4, link!.y + 4);
    await page.keyboard.press("Enter");
    // A program may ask to copy; only the user's click writes the clipboard.
    await page.getByText("The program wants to copy 6 characters").waitFor();
  });
});

describe("without the daemon", () => {
  it("the page still opens from its own files, and says so", async () => {
    await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null")).toBe(true);
    await at.demo.kill("SIGKILL");
    await page.reload();
    await page.getByText("Cannot reach the daemon").waitFor();
    await at.demo.start();
    await page.waitForSelector(".connection.live");
    await expect.poll(() => page.locator(".groups .row").count()).toBeGreaterThan(2);
  });
});
