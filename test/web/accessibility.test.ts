/** Another page in the same browser, accessibility rules, and the page without a mouse. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { auditBoth } from "./support/audit.ts";
import { stage, visit } from "./support/browser.ts";
import { report } from "./support/report.ts";

interface Summary {
  agent: string;
  unifiedId: string;
  title: string;
  forkedFrom?: string;
}

const at = stage({ history: ["claude", "codex"] });
let page: Page;
let all: Summary[];

beforeAll(async () => {
  page = await at.open();
  all = await at.demo.ask<Summary[]>("GET", "/v1/history?limit=500");
});

describe("another page in the same browser", () => {
  it("opens no terminal, gets no event and no answer, even if the browser has the cookie", async () => {
    const id = await at.demo.launch("echo SECRET-ON-THE-SCREEN; exec cat", { name: "private" });
    const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<p>foreign</p>"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const foreign = await page.context().newPage();
    onTestFinished(() => foreign.close());
    // Another port of the same host is the same site, so the browser sends the cookie.
    await foreign.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const got = await foreign.evaluate(
      async ({ origin, session }) => {
        const opened = (url: string): Promise<string> =>
          new Promise((resolve) => {
            const socket = new WebSocket(url);
            socket.addEventListener("open", () => resolve("opened"));
            socket.addEventListener("message", () => resolve("heard"));
            socket.addEventListener("error", () => resolve("refused"));
          });
        const heard = (url: string): Promise<string> =>
          new Promise((resolve) => {
            const source = new EventSource(url, { withCredentials: true });
            source.addEventListener("open", () => resolve("opened"));
            source.addEventListener("error", () => resolve("refused"));
          });
        const read = (path: string, init: RequestInit): Promise<string> =>
          fetch(`${origin}${path}`, { credentials: "include", ...init }).then(
            (answer) => `${answer.type} ${answer.status}`,
            () => "refused",
          );
        return {
          socket: await opened(`${origin.replace("http", "ws")}/ws/${session}`),
          events: await heard(`${origin}/v1/events`),
          list: await read("/v1/sessions", {}),
          blind: await read(`/v1/sessions/${session}/input`, { method: "POST", mode: "no-cors", body: "typed" }),
        };
      },
      { origin: at.demo.origin, session: id },
    );
    expect(got).toEqual({ socket: "refused", events: "refused", list: "refused", blind: "refused" });
    // amux's own page gets an answer, and nothing was typed.
    const shown = (): Promise<string> =>
      page.evaluate(`fetch("/v1/sessions/${id}/text").then((answer) => answer.text())`);
    await expect.poll(shown).toContain("SECRET-ON-THE-SCREEN");
    expect(await shown()).not.toContain("typed");
  });
});

describe("everyone", () => {
  it("can read and reach every view, in the light and in the dark", async () => {
    const asking = await at.demo.launch("sleep 600", { name: "a question" });
    await report(at.demo, asking, { state: "waiting", message: "Which one?" });
    const failing = await at.demo.launch("exit 3", { name: "over" });
    const conversation = all.find(
      ({ agent, title }) => agent === "claude" && title.includes("health route"),
    )!.unifiedId;
    const fork = all.find(({ agent, forkedFrom }) => agent === "codex" && forkedFrom !== undefined)!;
    const pair = new URLSearchParams({ a: `codex:${fork.forkedFrom}`, b: fork.unifiedId });
    const views: [path: string, ready: string][] = [
      ["/overview", ".recent li"],
      [`/s/${asking}`, '.pane[data-state="open"]'],
      [`/s/${failing}`, ".ended-session .banner"],
      [`/t/${encodeURIComponent(conversation)}`, ".diff"],
      ["/settings", ".settings section"],
      ["/sessions", ".sessions-row .cell-title"],
      ["/search?q=health", ".hit mark"],
      ["/search", ".help"],
      [`/compare?${pair.toString()}`, ".pair"],
      ["/compare?a=&b=", ".choose"],
      ["/cost", ".cost-table, .empty"],
    ];
    for (const [path, ready] of views) {
      await visit(page, path);
      await page.locator(ready).first().waitFor();
      // Until its code is loaded, a view is an empty paragraph.
      await page.locator("h1").first().waitFor({ state: "attached" });
      await page.locator(".attention .card").first().waitFor();
      expect(await auditBoth(page), path).toEqual([]);
    }
    await page.getByRole("button", { name: "New", exact: true }).click();
    expect(await auditBoth(page), "launching").toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    expect(await auditBoth(page), "palette").toEqual([]);
    await page.keyboard.press("Escape");
    await at.demo.ask("POST", `/v1/sessions/${asking}/dismiss`);
    await at.demo.ask("POST", `/v1/sessions/${failing}/dismiss`);
  });
});

describe("keys alone", () => {
  /** Tab by Tab, as without a mouse. */
  async function tabTo(selector: string): Promise<void> {
    for (let step = 0; step < 80; step++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    }
    throw new Error(`${selector} cannot be reached by Tab.`);
  }

  it("reach every view", async () => {
    const id = await at.demo.launch("PS1='$ ' exec bash --norc --noprofile -i", { name: "by keys" });
    await page.locator(`.sidebar [data-session="${id}"]`).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await tabTo(".tile");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(id));
    await page.locator(".xterm :focus").waitFor({ state: "attached" });
    await page.keyboard.press("Shift+Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.locator("#search:focus").waitFor();
    // At once: the hits of its first letters would go while one of them has the focus.
    await page.keyboard.insertText("health");
    await page.locator(".hit").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".message.marked").waitFor();
    await tabTo('.transcript [aria-label="Actions"]');
    await page.keyboard.press("Enter");
    await tabTo('.actions-menu [href^="/compare"]');
    await page.keyboard.press("Enter");
    await page.locator(".choose").waitFor();
    const [other] = all.filter(({ agent }) => agent === "codex");
    await tabTo("input[list=all-sessions]:placeholder-shown");
    await page.keyboard.type(other!.unifiedId);
    await page.keyboard.press("Enter");
    await page.locator(".pair").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await page.locator(".cost-table").waitFor();
    await tabTo(".cost-table tbody button");
    await page.keyboard.press("Enter");
    await page.locator("dialog .cost-table tbody tr").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "New session" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    await page.keyboard.type("by keys");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(id));
  });
});
