/** Notifications of the page, which can be installed, and push: the page subscribes, the daemon sends, the browser's service worker shows it, and a button answers a real session. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { GRACE_MS } from "../../src/web/notify/pending.ts";
import { pushService, type Pushed, type PushService } from "../daemon/support/push-service.ts";
import { askPermission } from "./support/ask-permission.ts";
import { audit } from "./support/audit.ts";
import { rowOf, stage, visit, type StageOptions } from "./support/browser.ts";
import { lookAway } from "./support/look-away.ts";
import { shown, type Shown } from "./support/notifications.ts";
import { report } from "./support/report.ts";

let push: PushService;
const cleaning: (() => void)[] = [];
const options: StageOptions = {
  needsNotifications: true,
  history: false,
  prepare: (home) => {
    const amux = join(home, "../amux");
    mkdirSync(amux, { mode: 0o700 });
    writeFileSync(join(amux, "attention.json"), JSON.stringify({ graceSeconds: 1, privatePush: true }));
  },
};
beforeAll(async () => {
  push = await pushService((clean) => cleaning.push(clean));
  options.vars = { NODE_EXTRA_CA_CERTS: push.certificate };
});
const at = stage(options);
// A second try of a test begins as the first one did.
beforeEach(async () => {
  await at.demo.endSessions();
  for (const { id } of await at.demo.ask<{ id: string }[]>("GET", "/v1/notify"))
    await at.demo.ask("DELETE", `/v1/notify/${id}`);
  push.pushed.length = 0;
});
afterAll(() => {
  for (const clean of cleaning) clean();
});

/** Further than the test's clock can be ahead of the page's, and too little for the last input to count as long ago. */
const AHEAD_MS = 30_000;

/** Headless browsers have no push service: the subscription is the stand-in's. */
async function withSubscription(page: Page): Promise<void> {
  const { endpoint, keys } = push.subscription;
  await page.evaluate(`PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    window.subscribedTo = [applicationServerKey, userVisibleOnly];
    return { toJSON: () => (${JSON.stringify({ endpoint, keys })}), unsubscribe: async () => (window.isUnsubscribed = true) };
  }`);
}

/**
 * Hands it to the browser as its push service would, after decryption. One that comes again has a tag of its own: the end of a
 * notification is noticed late, and would take a later one of the same tag along.
 */
async function deliver(
  tools: CDPSession,
  registrationId: string,
  { message }: Pushed,
  tag = message.tag,
): Promise<void> {
  const data = JSON.stringify({ ...message, tag });
  await tools.send("ServiceWorker.deliverPushMessage", { origin: at.demo.origin, registrationId, data });
}

async function registered(tools: CDPSession): Promise<string> {
  const found = new Promise<string>((resolve) => {
    tools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await tools.send("ServiceWorker.enable");
  return found;
}

/** No protocol can click a notification: the service worker gets the event with the real one. */
async function click(page: Page, action: string, tag: string): Promise<void> {
  const [worker] = page.context().serviceWorkers();
  await worker!.evaluate(
    async ([name, wanted]) => {
      interface Worker {
        registration: { getNotifications(filter: object): Promise<object[]> };
        NotificationEvent: new (type: string, init: object) => Event;
        dispatchEvent(event: Event): void;
      }
      const self = globalThis as unknown as Worker;
      const [notification] = await self.registration.getNotifications({ tag: wanted });
      const event = new self.NotificationEvent("notificationclick", { notification, action: name });
      let work: unknown;
      Object.defineProperty(event, "waitUntil", { value: (promise: unknown) => (work = promise) });
      self.dispatchEvent(event);
      await work;
    },
    [action, tag] as const,
  );
}

it("of an open page come after a moment when nobody looks, together when there are many, and go when answered", async () => {
  const names = ["asks one", "asks two", "asks three"] as const;
  const launched = names.map(async (name) => [name, await at.demo.launch("exec cat", { name })] as const);
  const ids = Object.fromEntries(await Promise.all(launched));
  const tell = (name: string, state: string): Promise<void> => report(at.demo, ids[name]!, { state, message: "And?" });
  const watcher = await at.open({ permissions: ["notifications"], serviceWorkers: "allow" }, { path: "/overview" });
  const titles = async (): Promise<string[]> => (await shown(watcher)).map(({ title }) => title).sort();
  expect(await installErrors(watcher)).toEqual([]);
  await watcher.clock.install();
  await watcher.locator(rowOf(ids[names[2]]!)).waitFor();
  await watcher.getByRole("button", { name: "Notify me" }).click();
  await watcher.getByRole("button", { name: "Notifications are on" }).waitFor();
  const look = await lookAway(watcher);
  // However long it takes to ask, the moment ends when the test says so.
  await watcher.clock.pauseAt(Date.now() + AHEAD_MS);
  const asks = async (name: string): Promise<void> => {
    await tell(name, "waiting");
    await watcher.locator(".attention", { hasText: name }).waitFor({ state: "attached" });
  };
  await asks("asks one");
  expect(await titles()).toEqual([]);
  await watcher.clock.fastForward(GRACE_MS);
  await expect.poll(() => titles()).toEqual(["asks one asks"]);
  await tell("asks one", "idle");
  await expect.poll(() => titles()).toEqual([]);
  for (const name of names) await asks(name);
  await watcher.clock.fastForward(GRACE_MS);
  await expect.poll(() => titles()).toEqual(["3 sessions need your attention"]);
  // A user who looks again needs no notification.
  await look();
  await expect.poll(() => titles()).toEqual([]);
  await watcher.context().close();
});

/** Why the page cannot be installed as an app. */
async function installErrors(page: Page): Promise<string[]> {
  const tools = await page.context().newCDPSession(page);
  const { installabilityErrors } = await tools.send("Page.getInstallabilityErrors");
  await tools.detach();
  // A browser without a profile installs nothing; every other error is the page's fault.
  return installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito");
}

it("reaches a device whose page nobody looks at, and its buttons answer the question that was shown", async () => {
  const page = await at.open({ permissions: ["notifications"], serviceWorkers: "allow" });
  await withSubscription(page);
  await visit(page, "/settings");
  const group = page.getByRole("region", { name: "Notifications" });
  await group.getByText("through this browser's push service, Google's").waitFor();
  const { host } = new URL(push.subscription.endpoint);
  // Named before it is used; a no leaves nothing behind.
  await group.getByRole("button", { name: "Push to this device" }).click();
  await page.getByText(`Send notifications through ${host}?`).waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.evaluate("window.isUnsubscribed")).toBe(true);
  expect(await at.demo.ask("GET", "/v1/notify")).toEqual([]);
  await group.getByRole("button", { name: "Push to this device" }).click();
  await page.getByRole("button", { name: "Use it" }).click();
  await group.getByText(`this browser, through ${host}`).waitFor();
  expect(await page.evaluate("window.subscribedTo")).toEqual([expect.stringMatching(/^B[\w-]{86}$/), true]);
  expect(await audit(page)).toEqual([]);

  const tools = await page.context().newCDPSession(page);
  const registration = await registered(tools);
  const look = await lookAway(page);
  const id = await at.demo.launch("exec cat", { name: "shop" });
  const decision = askPermission(at.demo, id);
  await expect.poll(() => push.pushed.length).toBe(1);
  const first = push.pushed[0]!;
  expect(first.message).toMatchObject({ title: "shop needs your permission", path: `/s/${id}` });
  await deliver(tools, registration, first);
  await expect.poll(() => shown(page)).toMatchObject([{ title: "shop needs your permission" }]);
  const [{ actions, body }] = (await shown(page)) as [Shown];
  expect([actions.slice(0, 2), body]).toEqual([["allow", "deny"], expect.stringContaining("rm -r build")]);
  await click(page, "allow", first.message.tag);
  expect(await decision).toContain('"behavior":"allow"');
  await expect.poll(() => shown(page)).toEqual([]);
  await expect.poll(() => push.pushed.length).toBe(2);
  expect(push.pushed[1]!.message).toMatchObject({ event: "withdraw", tag: first.message.tag });

  // The next question: the button of the old notification does not answer it.
  const second = askPermission(at.demo, id, "rm -r dist");
  await expect.poll(() => push.pushed.length).toBe(3);
  const next = push.pushed[2]!;
  await deliver(tools, registration, first, "old");
  await expect.poll(() => shown(page)).toMatchObject([{ tag: "old" }]);
  await click(page, "allow", "old");
  await expect.poll(() => shown(page)).toMatchObject([{ tag: "old-failed", title: "Not answered" }]);
  // A withdrawal takes that along.
  await deliver(tools, registration, push.pushed[1]!, "old");
  await expect.poll(() => shown(page)).toEqual([]);
  // Without the page's cookie nothing is answered.
  await deliver(tools, registration, next);
  await expect.poll(() => shown(page)).toMatchObject([{ tag: next.message.tag }]);
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await click(page, "deny", next.message.tag);
  await expect.poll(() => shown(page)).toMatchObject([{ body: "This browser is not signed in any more." }]);
  await page.context().addCookies(cookies);
  await deliver(tools, registration, next, "again");
  await expect.poll(() => shown(page)).toHaveLength(2);
  await click(page, "deny", "again");
  expect(await second).toContain('"behavior":"deny"');
  await deliver(tools, registration, push.pushed[1]!, next.message.tag);
  await expect.poll(() => shown(page)).toEqual([]);

  // Somebody who looks needs none, and one that is shown goes.
  const third = askPermission(at.demo, id, "rm -r docs");
  const asks = (): Pushed[] => push.pushed.filter(({ message }) => message.event === "send");
  await expect.poll(() => asks().length).toBe(3);
  const last = asks()[2]!;
  await deliver(tools, registration, last);
  await expect.poll(() => shown(page)).toMatchObject([{ tag: last.message.tag }]);
  await look();
  const end = { event: "withdraw", tag: last.message.tag };
  await expect.poll(() => push.pushed.at(-1)!.message).toMatchObject(end);
  await deliver(tools, registration, push.pushed.at(-1)!);
  await expect.poll(() => shown(page)).toEqual([]);
  await at.demo.ask("POST", `/v1/sessions/${id}/answer`, { answer: "deny" });
  await third;

  // A page that nobody has touched for a while is not looked at.
  await page.evaluate("{ const now = performance.now.bind(performance); performance.now = () => now() + 120_000; }");
  const fourth = askPermission(at.demo, id, "rm -r old");
  await expect.poll(() => asks().length).toBe(4);
  await at.demo.ask("POST", `/v1/sessions/${id}/answer`, { answer: "deny" });
  await fourth;

  await group.getByRole("button", { name: /^Remove / }).click();
  await group.getByRole("button", { name: "Push to this device" }).waitFor();
  expect(await at.demo.ask("GET", "/v1/notify")).toEqual([]);
  await page.context().close();
});

it("a notification stays when others are withdrawn while it is being shown", async () => {
  const page = await at.open({ permissions: ["notifications"], serviceWorkers: "allow" });
  await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
  const asked = Array.from({ length: 20 }, (_, index) => `asked ${index}`);
  const withdrawn = asked.map((tag) => ({ event: "withdraw", tag: `before ${tag}` }));
  const messages = asked.flatMap((tag, index) => [{ event: "send", tag, question: {} }, withdrawn[index]]);
  // All at once, which the protocol of the tools does not promise.
  await page.context().serviceWorkers()[0]!.evaluate(`{
    for (const message of ${JSON.stringify(messages)})
      dispatchEvent(new PushEvent("push", { data: JSON.stringify(message) }));
  }`);
  await expect.poll(async () => (await shown(page)).map(({ tag }) => tag).sort()).toEqual(asked.sort());
  await page.context().close();
});
