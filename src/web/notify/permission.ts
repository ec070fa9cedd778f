import { notifications } from "../state/preferences.ts";
import { tell } from "../ui/notices.ts";

/** Turns notifications on or off. Browsers ask for permission only after a click. */
export async function askForNotifications(): Promise<void> {
  if (notifications.value) {
    notifications.value = false;
    return;
  }
  if (!("Notification" in window)) {
    tell("This browser has no notifications.", { tone: "bad" });
    return;
  }
  const permission = await Notification.requestPermission();
  notifications.value = permission === "granted";
  if (permission === "denied") tell("The browser does not allow notifications for this page.", { tone: "bad" });
}
