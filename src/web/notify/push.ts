/** Push to this browser: it subscribes at its own push service, and the daemon sends there. */
import { notifyApi } from "../state/api.ts";
import { pushChannel } from "../state/preferences.ts";
import { isConfirmed } from "../ui/confirm-dialog.tsx";
import { tell } from "../ui/notices.ts";

/** Why this browser cannot, if so. */
export function whyNoPush(): string | undefined {
  if (!isSecureContext) return "Push needs https. amux open --phone, on the machine, says how to get there.";
  if (!("PushManager" in window))
    return "This browser has no push. On an iPhone or iPad, add amux to the home screen and open it from there.";
  return undefined;
}

/** Who would carry the messages; the exact service is known after the subscription. */
export function likelyService(): string {
  const { userAgent } = navigator;
  if (/Edg\//.test(userAgent)) return "Microsoft's";
  if (/Firefox\//.test(userAgent)) return "Mozilla's";
  return /Chrome\//.test(userAgent) ? "Google's" : /Safari\//.test(userAgent) ? "Apple's" : "its maker's";
}

/** Browsers ask for permission only after a click. */
export async function turnOnPush(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    tell("The browser does not allow notifications for this page.", { tone: "bad" });
    return;
  }
  const { public_key: key } = await notifyApi.pushKey();
  const { pushManager } = await navigator.serviceWorker.ready;
  // One of an earlier key would be refused.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  const isMeant = await isConfirmed(
    `Send notifications through ${new URL(endpoint!).host}?`,
    "Use it",
    "It is this browser's push service. Messages are encrypted: it sees when they come, not what they say.",
  );
  if (!isMeant) {
    await subscription.unsubscribe();
    return;
  }
  const { p256dh = "", auth = "" } = keys ?? {};
  const { id } = await notifyApi.add({ kind: "push", endpoint: endpoint!, keys: { p256dh, auth }, name: deviceName() });
  pushChannel.value = id;
}

/** The daemon forgets a channel at once; the browser's subscription goes with it. */
export async function removeChannel(id: string): Promise<void> {
  await notifyApi.remove(id);
  if (id !== pushChannel.value) return;
  pushChannel.value = "";
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
}

/** It may have been removed elsewhere, or ended by the push service. */
export async function checkPush(): Promise<void> {
  if (pushChannel.value === "") return;
  const channels = await notifyApi.channels();
  if (channels.some(({ id }) => id === pushChannel.value)) return;
  pushChannel.value = "";
  tell("Push to this browser has ended. Settings turns it on again.");
}

function deviceName(): string {
  const named = (names: readonly string[]): string | undefined =>
    names.find((name) => navigator.userAgent.includes(name));
  const browser = named(["Firefox", "Edg", "Chrome", "Safari"]) ?? "a browser";
  const system = named(["iPhone", "iPad", "Android", "Windows", "Mac", "CrOS", "Linux"]) ?? "a device";
  return `${browser === "Edg" ? "Edge" : browser}, ${system}`;
}
