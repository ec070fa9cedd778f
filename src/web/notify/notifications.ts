/** Notifies about sessions that need attention while the page is hidden. News seen in one tab counts as seen in all. */
import { effect } from "@preact/signals";
import { visibleControls } from "../../core/visible-text.ts";
import { notifyApi } from "../state/api.ts";
import { notifications, pushChannel } from "../state/preferences.ts";
import { attention, isComplete } from "../state/projection.ts";
import { selectedId } from "../state/selection.ts";
import { Pending, type Word } from "./pending.ts";

/** Shared by all tabs of one browser. */
const CHANNEL = "amux-looking";

/** A page left open on a desk is not looked at: whoever went away must hear of questions on the phone. */
const LOOKING_MS = 60_000;
const INPUTS = ["keydown", "pointerdown", "pointermove", "wheel"];

export function startNotifications(): void {
  const pending = new Pending({ show, withdraw });
  const otherPages = new BroadcastChannel(CHANNEL);
  otherPages.addEventListener("message", () => pending.seen(undefined));
  const seen = (): void => {
    toldAt = performance.now();
    pending.seen(undefined);
    otherPages.postMessage(null);
    // Other devices need no notification either. If the daemon cannot be reached, they get none anyway.
    if (attention.value.length > 0) notifyApi.seen().catch(() => undefined);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tick = (): void => {
    clearTimeout(timer);
    if (isLookedAt()) seen();
    const next = pending.tick(Date.now());
    if (next !== undefined) timer = setTimeout(tick, Math.max(0, next - Date.now()));
  };
  effect(() => {
    if (!isComplete.value) return;
    // These are shown and notify nobody.
    const loud = attention.value.filter(({ reason }) => reason !== "queue" && reason !== "conflict");
    pending.update(loud, Date.now());
    tick();
  });
  effect(() => {
    if (selectedId.value !== null && isLookedAt()) pending.seen(selectedId.value);
  });
  addEventListener("focus", () => {
    lastInput = performance.now();
    seen();
  });
  for (const input of INPUTS)
    addEventListener(
      input,
      () => {
        const wasAway = !isLookedAt();
        lastInput = performance.now();
        // The daemon tells other devices of a question again that nobody has looked at for some minutes.
        const isToldLongAgo = lastInput - toldAt >= LOOKING_MS && attention.value.length > 0;
        if ((wasAway || isToldLongAgo) && isLookedAt()) tick();
      },
      { capture: true, passive: true },
    );
}

/** Opening the page is one. */
let lastInput = 0;
let toldAt = 0;

function isLookedAt(): boolean {
  const isRecent = performance.now() - lastInput < LOOKING_MS;
  return isRecent && document.visibilityState === "visible" && document.hasFocus();
}

function show({ tag, title, body, path }: Word): void {
  // With push the daemon notifies this browser, once.
  if (!notifications.value || pushChannel.value !== "" || Notification.permission !== "granted") return;
  // Through the service worker: mobile browsers allow nothing else.
  inTurn(async (worker) => {
    await worker.showNotification(visibleControls(title), {
      tag,
      body: visibleControls(body),
      icon: "/icon-192.png",
      data: { path },
    });
  });
}

function withdraw(tag: string): void {
  inTurn(async (worker) => {
    for (const shown of await worker.getNotifications({ tag })) shown.close();
  });
}

let last: Promise<void> = Promise.resolve();

/** A withdrawal must not overtake what it withdraws. The service worker takes the same lock, and says why. */
function inTurn(act: (worker: ServiceWorkerRegistration) => Promise<void>): void {
  const next = async (): Promise<void> => {
    if (!("serviceWorker" in navigator)) return;
    const worker = await navigator.serviceWorker.ready;
    await navigator.locks.request("amux-notifications", () => act(worker));
  };
  last = last.then(next, next);
}
