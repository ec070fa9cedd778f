/** Arranging, starting, splitting, pasting and notifications, with one daemon and one browser. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { MuxSession } from "../../src/protocol/mux-session.ts";
import type { ProjectsAnswer } from "../../src/protocol/projects.ts";
import { audit } from "./support/audit.ts";
import { rowOf, screenText, stage, untilScreen, visit } from "./support/browser.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const at = stage({ history: false });
let page: Page;

beforeAll(async () => {
  page = await at.open();
});

/** Nothing answers when a card asks for a terminal's lines, and it gives up sooner. */
const UNANSWERED_LOOKS = `
  const patience = AbortSignal.timeout;
  AbortSignal.timeout = (ms) => patience.call(AbortSignal, ms / 50);
  const plain = window.fetch;
  let open = 0;
  window.looks = window.mostAtOnce = 0;
  window.fetch = async (input, init) => {
    if (!String(input).includes("/text?")) return plain(input, init);
    init.signal.throwIfAborted();
    window.looks++;
    window.mostAtOnce = Math.max(window.mostAtOnce, ++open);
    await new Promise((resolve) => init.signal.addEventListener("abort", resolve));
    open--;
    throw init.signal.reason;
  };`;

/** A shell with a prompt that is easy to wait for. */
function shell(name: string, cwd = at.demo.home): Promise<string> {
  return at.demo.launch("PS1='$ ' exec bash --norc --noprofile -i", { name, cwd });
}

async function sessionOf(id: string): Promise<MuxSession> {
  return at.demo.ask<MuxSession>("GET", `/v1/sessions/${id}`);
}

describe("a session's terminals", () => {
  it("take a pasted image as a file whose path is typed", async () => {
    const id = await shell("painter");
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /\$/);
    await page.evaluate(`(() => {
      const bytes = Uint8Array.from(atob("${PNG}"), (letter) => letter.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], "shot.png", { type: "image/png" }));
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.querySelector(".term-box textarea").dispatchEvent(event);
    })()`);
    await untilScreen(page, /paste-1\.png/);
    const typed = /\/\S+paste-1\.png/.exec((await screenText(page)).replaceAll("\n", ""))![0];
    expect(readFileSync(typed).toString("base64")).toBe(PNG);
  });

  it("copy a selection to the clipboard, and otherwise interrupt the program", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const id = await at.demo.launch("trap 'echo interrupted' INT; echo take this; while :; do sleep 600; done");
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /take this/);
    // The terminal gets the size of the window once, and a selection would go with the earlier size.
    await page.locator(".term-box:not(.larger)").waitFor();
    const line = (await page.locator(".xterm-rows > div", { hasText: "take this" }).first().boundingBox())!;
    const y = line.y + line.height / 2;
    await page.mouse.move(line.x + 1, y);
    await page.mouse.down();
    await page.mouse.move(line.x + line.width - 4, y, { steps: 8 });
    await page.mouse.up();
    await page.keyboard.press("Control+c");
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe("take this");
    await page.keyboard.press("Control+c");
    await untilScreen(page, /interrupted/);
    await page.evaluate(`navigator.clipboard.writeText("echo pasted")`);
    await page.keyboard.press("Control+Shift+V");
    await untilScreen(page, /echo pasted/);
    await page.context().clearPermissions();
  });

  it("are found by the session's slug in the address", async () => {
    const id = await shell("to be found");
    await at.demo.ask("PUT", `/v1/sessions/${id}/slug`, { slug: "fix-auth-bug" });
    await page.goto(`${at.demo.origin}/s/fix-auth-bug`);
    await page.waitForURL(`**/s/${id}`);
    await untilScreen(page, /\$/);
    await visit(page, "/s/shell/fix-auth-bug");
    await page.waitForURL(`**/s/${id}`);
    await visit(page, "/s/claude/fix-auth-bug");
    await page.getByText("There is no session “claude/fix-auth-bug” here.").waitFor();
  });

  it("are side by side, each with its own program", async () => {
    const id = await shell("two of them");
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /\$/);
    await page.getByLabel("Actions").click();
    await page.getByRole("button", { name: "Split terminal" }).click();
    const second = page.locator(".terminal-cell").nth(1);
    await second.locator('.pane[data-state="open"]').waitFor();
    await second.locator(".term-box").click();
    await page.keyboard.type("echo in the sec''ond\n");
    await second.locator(".xterm-rows", { hasText: "in the second" }).waitFor();
    expect(await page.locator(".terminal-cell").first().locator(".xterm-rows").textContent()).not.toContain("second");
    await second.hover();
    await second.getByRole("button", { name: "End this terminal" }).click();
    await expect.poll(() => page.locator(".terminal-cell").count()).toBe(1);
    expect((await sessionOf(id)).alive).toBe(true);
  });

  it("of several sessions are beside each other, with dividers that are moved by mouse, touch and keys", async () => {
    const [left, right, third] = [await shell("on the left"), await shell("on the right"), await shell("the third")];
    await page.locator(`${rowOf(left)} .row-main`).click();
    await untilScreen(page, /\$/);
    await page.locator(rowOf(third)).waitFor();
    await page.locator(rowOf(right)).hover();
    await page.locator(rowOf(right)).getByRole("button", { name: "Open beside" }).click();
    const cells = page.locator(".session-cell");
    await cells.nth(1).locator('.pane[data-state="open"]').waitFor();
    await cells.nth(1).locator(".xterm :focus").waitFor({ state: "attached" });
    await page.keyboard.type("echo in the ri''ght\n");
    await cells.nth(1).locator(".xterm-rows", { hasText: "in the right" }).waitFor();
    await page.getByLabel("Actions").first().click();
    await page.getByRole("button", { name: "Open another session beside" }).click();
    await page.getByRole("combobox", { name: "Command" }).pressSequentially("third");
    await page.keyboard.press("Enter");
    await cells.nth(2).locator('.pane[data-state="open"]').waitFor();
    expect(new URL(page.url()).searchParams.get("beside")).toBe(`${right},${third}`);
    const divider = page.getByRole("separator", { name: "Width of the left side" });
    const size = async (): Promise<number> => Number(await divider.getAttribute("aria-valuenow"));
    const whole = (await page.locator(".panes").first().boundingBox())!;
    const place = (await divider.boundingBox())!;
    await page.mouse.move(place.x + place.width / 2, place.y + 60);
    await page.mouse.down();
    await page.mouse.move(whole.x + whole.width * 0.3, place.y + 60, { steps: 4 });
    await page.mouse.up();
    expect(await size()).toBe(30);
    await divider.focus();
    await page.keyboard.press("ArrowRight");
    expect(await size()).toBe(32);
    const lower = page.getByRole("separator", { name: "Height of the upper row" });
    await lower.focus();
    await page.keyboard.press("ArrowUp");
    expect(await lower.getAttribute("aria-valuenow")).toBe("48");
    expect(await audit(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => cells.locator('.pane[data-state="open"]').count()).toBe(3);
    expect(await size()).toBe(32);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => cells.count()).toBe(1);
    await page.setViewportSize({ width: 1200, height: 800 });
    await expect.poll(() => cells.count()).toBe(3);
    await cells
      .nth(1)
      .getByRole("button", { name: /^Close/ })
      .click();
    // The keys go to the main one again, also after the one opened last is closed.
    await page.locator(rowOf(right)).hover();
    await page.locator(rowOf(right)).getByRole("button", { name: "Open beside" }).click();
    await cells.nth(2).locator(".xterm :focus").waitFor({ state: "attached" });
    await cells
      .nth(2)
      .getByRole("button", { name: /^Close/ })
      .click();
    await cells.first().locator(".xterm :focus").waitFor({ state: "attached" });
    await cells
      .first()
      .getByRole("button", { name: /^Close/ })
      .click();
    await page.waitForURL((url) => url.pathname === `/s/${third}` && url.search === "");
    await visit(page, `/s/${left}?beside=${right}`);
    await page.locator('.session-cell:nth-child(2) .pane[data-state="open"]').waitFor();
    const touched = page.getByRole("separator");
    const from = (await touched.boundingBox())!;
    const before = Number(await touched.getAttribute("aria-valuenow"));
    const tools = await page.context().newCDPSession(page);
    await tools.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", x: number): Promise<unknown> =>
      tools.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x, y: from.y + 200 }],
      });
    await touch("touchStart", from.x + from.width / 2);
    await touch("touchMove", from.x + 100);
    await touch("touchMove", from.x + 200);
    await touch("touchEnd", 0);
    expect(Number(await touched.getAttribute("aria-valuenow"))).toBeGreaterThan(before + 10);
    await tools.detach();
  });

  it("survive output that exceeds any terminal", async () => {
    const id = await at.demo.launch(
      String.raw`printf 'a\033[2147483647b\033[2147483647L\033[2147483647S'; echo; echo still here; sleep 600`,
    );
    await page.locator(`${rowOf(id)} .row-main`).click();
    await untilScreen(page, /still here/);
  });
});

describe("the list", () => {
  it("is ordered by hand, and by keys", async () => {
    const cwd = join(at.demo.home, "dev/ordered");
    mkdirSync(cwd, { recursive: true });
    const first = await shell("first", cwd);
    const second = await shell("second", cwd);
    const order = (): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('[aria-label="ordered"] .row')].map((row) => row.dataset.session)`);
    await expect.poll(order).toEqual([second, first]);
    await page.locator(rowOf(first)).dragTo(page.locator(rowOf(second)), { targetPosition: { x: 60, y: 3 } });
    await expect.poll(order).toEqual([first, second]);
    await page.locator(rowOf(first)).locator(".row-main").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(order).toEqual([second, first]);
    const { items } = await at.demo.ask<ProjectsAnswer>("GET", "/v1/projects");
    expect(items.map(({ name, sessions }) => [name, sessions])).toEqual([["ordered", [second, first]]]);
  });
});

describe("the overview", () => {
  it("shows what changed since the last visit", async () => {
    await visit(page, "/overview");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await visit(page, "/search");
    await page.getByRole("searchbox", { name: "Search", exact: true }).waitFor();
    const broken = await at.demo.launch("exit 3", { name: "a broken thing" });
    await page.locator(`${rowOf(broken)}.dead`).waitFor();
    await visit(page, "/overview");
    const change = page.getByRole("region", { name: "Changes" }).locator("li", { hasText: "a broken thing" });
    await change.locator(".change.failed").waitFor();
    // Looking twice takes nothing away.
    await page.reload();
    await change.locator(".change.failed").waitFor();
    await change.getByRole("link").click();
    await page.getByText(/^Exited \(3\)/).waitFor();
  });

  it("shows the last lines of each terminal, and new ones while it prints", async () => {
    const go = join(at.demo.place, "go-on");
    const script = `echo 'first words'; until [ -e '${go}' ]; do sleep 0.1; done; echo 'more words'; exec sleep 600`;
    const id = await at.demo.launch(script, { name: "a talker" });
    await page.locator(rowOf(id)).waitFor();
    await visit(page, "/overview");
    const tile = page.locator(".tile", { hasText: "a talker" }).locator(".tile-output");
    await expect.poll(() => tile.textContent()).toBe("first words");
    writeFileSync(go, "");
    await expect.poll(() => tile.textContent()).toBe("first words\nmore words");
  });

  it("asks for the lines of one card after the other, also while nothing answers", async () => {
    for (const name of ["one", "two", "three"]) await at.demo.launch("exec sleep 600", { name });
    const there = await at.open({}, { path: "/overview", script: UNANSWERED_LOOKS });
    // The first look gives up, and the next one begins.
    await expect.poll(() => there.evaluate<number>("window.looks")).toBeGreaterThan(1);
    expect(await there.evaluate<number>("window.mostAtOnce")).toBe(1);
    await there.context().close();
  });
});

describe("launching", () => {
  it("completes folders, and starts in a worktree of a new branch", async () => {
    const repository = join(at.demo.home, "dev/shop-api");
    mkdirSync(repository, { recursive: true });
    const git = (...args: string[]): void =>
      void execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.org", ...args], { cwd: repository });
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "first");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByLabel("Folder").fill(join(at.demo.home, "dev/shop"));
    await page.locator(`#folders option[value^="${repository}"]`).waitFor({ state: "attached" });
    await page.getByLabel("Folder").fill(repository);
    await page.getByRole("textbox", { name: "Command" }).fill("env 'PS1=$ ' bash --norc --noprofile -i");
    await page.getByLabel("New git worktree (optional)").fill("try-it");
    await page.keyboard.press("Enter");
    await untilScreen(page, /\$/);
    await page.keyboard.type("git branch --show-current\n");
    await untilScreen(page, /^try-it$/m);
    const id = /sess-\w+/.exec(page.url())![0];
    const { cwd, workspace_root } = await sessionOf(id);
    expect(workspace_root).toBe(repository);
    expect(cwd).not.toBe(repository);
  });
});

describe("the folder field", () => {
  it("offers the folders of what was typed last, whenever earlier answers come", async () => {
    const parent = join(at.demo.home, "offered");
    for (const name of ["first", "last"]) mkdirSync(join(parent, name), { recursive: true });
    const isUnanswered = (request: Request): boolean =>
      new URL(request.url()).searchParams.get("prefix") === join(parent, "f");
    await page.route("**/v1/directories?*", async (route, request) => {
      if (!isUnanswered(request)) await route.continue();
    });
    await page.getByRole("button", { name: "New", exact: true }).click();
    const asked = page.waitForEvent("request", isUnanswered);
    const dropped = page.waitForEvent("requestfailed", isUnanswered);
    await page.getByLabel("Folder").fill(join(parent, "f"));
    await asked;
    await page.getByLabel("Folder").fill(join(parent, "l"));
    await page.locator(`#folders option[value^="${join(parent, "last")}"]`).waitFor({ state: "attached" });
    await dropped;
    await page.unroute("**/v1/directories?*");
    await page.keyboard.press("Escape");
  });
});

describe("pressing Ctrl+Enter several times", () => {
  it("starts one session", async () => {
    let asked = 0;
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/v1/launch", async (route) => {
      asked += 1;
      await answered;
      await route.continue();
    });
    await visit(page, "/overview");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByRole("textbox", { name: "Command" }).fill("sleep 600");
    for (let at = 0; at < 3; at++) await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Starting …" }).waitFor();
    answer();
    await page.waitForURL(/\/s\/sess-/);
    await page.unroute("**/v1/launch");
    expect(asked).toBe(1);
  });
});

describe("viewing an ended session", () => {
  it("runs nothing again: its last screen is shown, and a separate button asks first", async () => {
    const file = join(at.demo.home, "applied");
    const id = await at.demo.launch(`echo applied >> ${file}; echo it failed; exit 1`, { name: "apply" });
    const times = (): number => readFileSync(file, "utf8").split("\n").length - 1;
    await page.locator(`${rowOf(id)}.dead .row-main`).click();
    await page.getByText(/^Exited \(1\)/).waitFor();
    await untilScreen(page, /it failed/);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Command" }).fill("apply");
    await page.keyboard.press("Enter");
    await page.getByText(/^Exited \(1\)/).waitFor();
    expect(times()).toBe(1);
    await page.locator(".banner").getByRole("button", { name: "Run again" }).click();
    const question = page.getByRole("dialog", { name: /^Run this again in/ });
    await question.getByText("echo applied").waitFor();
    await question.getByRole("button", { name: "Run again" }).click();
    await expect.poll(times).toBe(2);
  });

  it("finds it by its name in an address; on an unknown one, letters do nothing", async () => {
    const id = await shell("login fix");
    await page.goto(`${at.demo.origin}/s/login%20fix`);
    await page.waitForURL(`**/s/${id}`);
    await untilScreen(page, /\$/);
    const plain = await shell("shell");
    await visit(page, "/s/shell");
    await page.waitForURL(`**/s/${plain}`);
    await untilScreen(page, /\$/);
    await visit(page, "/s/nothing-of-that-name");
    await page.getByText("There is no session “nothing-of-that-name” here.").waitFor();
    await page.keyboard.type("for n in a; do");
    await page.keyboard.press("Enter");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(page.url()).toContain("nothing-of-that-name");
    await visit(page, "/overview");
  });
});

describe("resuming", () => {
  it("pulses until the session runs, and for ten seconds at most", async () => {
    const id = await at.demo.launch("echo once", { name: "phoenix" });
    await expect.poll(async () => (await sessionOf(id)).alive).toBe(false);
    const { started_at: before } = await sessionOf(id);
    const patient = await at.open();
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    // As if the daemon stood still: it hears and reports nothing.
    await patient.route(`**/v1/sessions/${id}/resume`, async (route) => {
      await held;
      await route.continue();
    });
    await patient.clock.install();
    await patient.clock.pauseAt(Date.now() + 60_000);
    const row = patient.locator(rowOf(id));
    await row.hover();
    await row.getByRole("button", { name: "Run again" }).click();
    await patient.getByRole("dialog").getByRole("button", { name: "Run again" }).click();
    await row.locator(".dot.working").waitFor();
    await patient.clock.runFor(9900);
    expect(await row.locator(".dot.working").count()).toBe(1);
    await patient.clock.runFor(200);
    await expect.poll(() => row.locator(".dot.working").count()).toBe(0);
    go();
    await patient.unrouteAll({ behavior: "wait" });
    // The request still happens.
    await expect.poll(async () => (await sessionOf(id)).started_at).not.toBe(before);
    await patient.context().close();
  });
});

describe("a page that is open all day", () => {
  /** How many functions of this name remain after garbage collection. */
  async function functionsNamed(name: string): Promise<number> {
    const tools = await page.context().newCDPSession(page);
    const { result } = await tools.send("Runtime.evaluate", { expression: "Function.prototype" });
    const { objects } = await tools.send("Runtime.queryObjects", { prototypeObjectId: result.objectId! });
    const { result: count } = await tools.send("Runtime.callFunctionOn", {
      objectId: objects.objectId!,
      functionDeclaration: `function () { return this.filter(({ name }) => name === ${JSON.stringify(name)}).length; }`,
      returnByValue: true,
    });
    await tools.detach();
    return count.value as number;
  }

  it("releases the rows it drew before", async () => {
    const id = await shell("restless");
    for (let step = 1; step <= 15; step++) {
      await at.demo.ask("PUT", `/v1/sessions/${id}/status`, { label: `step ${step}`, working: true });
      await page.locator(rowOf(id)).getByText(`step ${step}`, { exact: true }).waitFor();
    }
    const rows = await page.locator(".row").count();
    // One per row; the last drawing may still be in memory for a moment.
    expect(await functionsNamed("onAuxClick")).toBeLessThan(rows + 5);
  });
});

describe("a dot", () => {
  it("does not animate when the system asks for reduced motion", async () => {
    const id = await shell("busy");
    await at.demo.ask("PUT", `/v1/sessions/${id}/status`, { label: "", working: true });
    const dot = page.locator(`${rowOf(id)} .dot.working`);
    await dot.waitFor();
    const animation = (): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('${rowOf(id)} .dot')).animationName`);
    expect(await animation()).toBe("none");
    await page.emulateMedia({ reducedMotion: "no-preference" });
    expect(await animation()).toBe("pulse");
    await page.emulateMedia({ reducedMotion: "reduce" });
  });
});
