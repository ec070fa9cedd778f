/** Starts the page. */
import { render } from "preact";
import { App } from "./app.tsx";
import { startBadges } from "./notify/badges.ts";
import { startNotifications } from "./notify/notifications.ts";
import { checkPush } from "./notify/push.ts";
import { startKeys } from "./palette/keys.ts";
import { loadAgents } from "./state/agents.ts";
import { keepServiceWorker } from "./service-worker.ts";
import { applyTheme } from "./state/preferences.ts";
import { connect, connection } from "./state/projection.ts";
import { go, route } from "./state/route.ts";
import { followProjection } from "./state/selection.ts";
import { releaseOldRows } from "./ui/release-old-rows.ts";
import { closeMenusOutside } from "./ui/menus.ts";
import { showControls } from "./ui/visible-text.ts";
import "./style/index.css";

showControls();
releaseOldRows();
applyTheme();
followProjection();
startBadges();
startNotifications();
startKeys();
closeMenusOutside();
render(<App />, document.querySelector("#app")!);
if (route.value.view !== "login") connect();

connection.subscribe((state) => {
  // Without the agents, their ids are shown as names; the next connection retries.
  if (state === "live") loadAgents().catch(() => undefined);
  // It is asked again with the next connection, too.
  if (state === "live") checkPush().catch(() => undefined);
});

if ("serviceWorker" in navigator) {
  void keepServiceWorker();
  navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ type?: string; path?: string }>) => {
    if (data.type === "go" && data.path !== undefined) go(data.path);
  });
}
