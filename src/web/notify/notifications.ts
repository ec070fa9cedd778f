/** Tells the user about sessions that need them while they look elsewhere. */
import { effect } from "@preact/signals";
import { notifications } from "../state/preferences.ts";
import { attention, isComplete } from "../state/projection.ts";
import { selectedId } from "../state/selection.ts";
import { Pending, type Word } from "./pending.ts";

export function startNotifications(): void {
  const pending = new Pending({ show, withdraw: (tag) => void withdraw(tag) });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tick = (): void => {
    clearTimeout(timer);
    if (isLookedAt()) pending.seen(undefined);
    const next = pending.tick(Date.now());
    if (next !== undefined) timer = setTimeout(tick, Math.max(0, next - Date.now()));
  };
  effect(() => {
    if (!isComplete.value) return;
    pending.update(attention.value, Date.now());
    tick();
  });
  effect(() => {
    if (selectedId.value !== null && isLookedAt()) pending.seen(selectedId.value);
  });
  addEventListener("focus", () => pending.seen(undefined));
}

function isLookedAt(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

function show({ tag, title, body, path }: Word): void {
  if (!notifications.value || Notification.permission !== "granted") return;
  // Through the worker where there is one: phones allow no other way.
  void navigator.serviceWorker.ready.then((worker) =>
    worker.showNotification(title, { tag, body, icon: "/icon-192.png", data: { path } }),
  );
}

async function withdraw(tag: string): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration();
  for (const shown of (await worker?.getNotifications({ tag })) ?? []) shown.close();
}
