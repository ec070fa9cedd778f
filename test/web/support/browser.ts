/**
 * A real browser and a real daemon, without WebGL so that terminal text can be read. Every page is watched: no foreign requests,
 * no CSP violations, no errors.
 */
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startDemoDaemon, type DemoDaemon } from "../../../scripts/demo-daemon.mjs";
import { ensureBrowser, findBrowserShell, NO_BROWSER } from "../../../scripts/find-browser.mjs";
import { DEADLINE_MS } from "../../support/deadline.ts";

/** Imported, its megabytes would first be searched for names: a second for every process. */
const { chromium } = createRequire(import.meta.url)("playwright-core") as typeof import("playwright-core");

export interface Stage {
  demo: DemoDaemon;
  browser: Browser;
  /** A page that is logged in, in a context of its own. */
  open(options?: BrowserContextOptions, first?: FirstView): Promise<Page>;
  /** Violations so far. */
  offences: string[];
}

export interface FirstView {
  path?: string;
  /** Runs before the page's own scripts. */
  script?: string;
  /** Runs before the page is loaded. */
  prepare?(context: BrowserContext): Promise<unknown>;
}

export interface StageOptions {
  /** With the recorded homes of every agent, or of these. */
  history?: boolean | readonly string[];
  /** More variables for the daemon. */
  vars?: Record<string, string>;
  /** May add files to the home before the daemon starts. */
  prepare?(home: string): void;
  /** Only a whole browser has notifications; a shell costs less. */
  needsNotifications?: true;
}

const LATE_MS = 1200;

/** A page that does not answer is not waited for. */
const PICTURE_MS = 5000;

/**
 * Animations are drawn by the processor here, and a service worker loads every file of the page once more and hides requests
 * from the test. Tests that are about one allow it.
 */
const USUAL = {
  viewport: { width: 1200, height: 800 },
  reducedMotion: "reduce",
  serviceWorkers: "block",
} as const;

export function stage(options: StageOptions = {}): Stage {
  const offences: string[] = [];
  const self = { offences } as unknown as Stage;
  let main: Page | undefined;
  self.open = async (wanted = {}, { path = "/", script, prepare } = {}) => {
    const isUsual = Object.keys(wanted).length === 0 && script === undefined;
    const parked = isUsual && main === undefined ? takeParked(self.browser) : undefined;
    const page = parked ?? (await newPage(self.browser, wanted));
    if (isUsual) main ??= page;
    watch(page, self.demo.origin, offences);
    if (process.env["AMUX_LATE_ANSWERS"] !== undefined) await delayAnswers(page.context());
    if (script !== undefined) await page.addInitScript(script);
    await prepare?.(page.context());
    await logIn(page.context(), self.demo);
    await page.goto(`${self.demo.origin}${path}`);
    await page.waitForSelector(".page .connection.live", { state: "attached" });
    // Until it knows the sessions, the first page has no view, and takes no keys.
    if (path === "/") await page.waitForURL(({ pathname }) => pathname !== "/");
    return page;
  };
  beforeAll(async () => {
    const whole = ensureBrowser();
    if (whole === undefined) throw new Error(NO_BROWSER);
    const executablePath = options.needsNotifications === true ? whole : (findBrowserShell() ?? whole);
    self.demo = await startDemoDaemon({ patienceMs: DEADLINE_MS, ...options });
    self.browser = await sharedBrowser(executablePath);
  });
  afterEach(async ({ task }) => {
    const [error] = task.result?.errors ?? [];
    if (error !== undefined && main !== undefined) error.message += `\n\n${await pictureOf(main)}`;
    expect(offences.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    const others = self.browser?.contexts().filter((context) => context !== main?.context()) ?? [];
    await Promise.all(others.map((context) => context.close()));
    if (main !== undefined) await park(main);
    await self.demo?.close();
  });
  return self;
}

/** In any order, as a slow machine may give them. */
async function delayAnswers(context: BrowserContext): Promise<void> {
  await context.route("**/v1/**", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() ** 3 * LATE_MS));
    // The page may have left meanwhile.
    await route.fallback().catch(() => undefined);
  });
}

/** What a failure message says of a page. */
async function pictureOf(page: Page): Promise<string> {
  const text = await page
    .locator("body")
    .ariaSnapshot({ timeout: PICTURE_MS })
    .catch((error: unknown) => `(not to be known: ${String(error)})`);
  return `The page ${page.url()} shows\n${text}`;
}

/** In a context of its own, not logged in and not watched. */
export async function newPage(browser: Browser, wanted: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ ...USUAL, ...wanted });
  context.setDefaultTimeout(DEADLINE_MS);
  return context.newPage();
}

/**
 * The usual page of the file before: a new one takes the browser a second. Each daemon has its own origin, so nothing that was
 * stored for another is seen.
 */
const parked = new Map<Browser, Page>();

function takeParked(browser: Browser): Page | undefined {
  const page = parked.get(browser);
  parked.delete(browser);
  return page?.isClosed() === false ? page : undefined;
}

/** As a new page would be; one that is broken is not kept. */
async function park(page: Page): Promise<void> {
  const context = page.context();
  try {
    for (const event of ["request", "pageerror", "dialog", "console"]) page.removeAllListeners(event);
    for (const other of context.pages()) if (other !== page) await other.close();
    await Promise.all([page.unrouteAll(), context.unrouteAll(), context.clearCookies(), context.clearPermissions()]);
    await page.emulateMedia({ reducedMotion: USUAL.reducedMotion, colorScheme: "light" });
    await page.setViewportSize(USUAL.viewport);
    await page.goto("about:blank");
    parked.set(context.browser()!, page);
  } catch {
    await context.close();
  }
}

async function logIn(context: BrowserContext, demo: DemoDaemon): Promise<void> {
  const data = await demo.ask<{ code: string }>("POST", "/v1/login-codes");
  const answer = await context.request.post(`${demo.origin}/auth/login`, { data, headers: { origin: demo.origin } });
  expect(answer.status()).toBe(200);
}

const browsers = new Map<string, Browser>();

/** One for all files of a worker process, which ends it. */
async function sharedBrowser(executablePath: string): Promise<Browser> {
  const known = browsers.get(executablePath);
  if (known?.isConnected() === true) return known;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-3d-apis", "--disable-dev-shm-usage"];
  const browser = await chromium.launch({ executablePath, args });
  browsers.set(executablePath, browser);
  return browser;
}

function watch(page: Page, origin: string, offences: string[]): void {
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && asked !== origin) offences.push(`asked ${request.url()}`);
  });
  page.on("pageerror", (error) => offences.push(`threw ${error.message}`));
  page.on("dialog", (dialog) => {
    // Pages must not use browser dialogs.
    offences.push(`asked by the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) offences.push(message.text());
  });
}

/** Goes to an address without a page load. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
}

/** What the terminal shows. */
export async function screenText(page: Page): Promise<string> {
  const rows = await page.locator(".term-box .xterm-rows > div").allTextContents();
  return rows.map((row) => row.replaceAll("\u00a0", " ").trimEnd()).join("\n");
}

export async function untilScreen(page: Page, text: string | RegExp): Promise<void> {
  await expect.poll(() => screenText(page)).toMatch(text);
}

/** The row of a session in the sidebar. */
export const rowOf = (id: string): string => `.sidebar [data-session="${id}"]`;
