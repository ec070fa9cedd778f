/** The foot of the sidebar: connection state, theme, notifications. */
import type { JSX } from "preact";
import { askForNotifications } from "../notify/permission.ts";
import { isDark, notifications, theme } from "../state/preferences.ts";
import { connection, sessions } from "../state/projection.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

const WORDS = { connecting: "Connecting …", live: "Live", lost: "Reconnecting …", unauthorized: "Signed out" };

export function SidebarFoot(): JSX.Element {
  const alive = [...sessions.value.values()].filter((session) => session.alive).length;
  return (
    <footer class="sidebar-foot">
      <span class={`connection ${connection.value}`} role="status">
        {connection.value === "live" ? `${alive} live` : WORDS[connection.value]}
      </span>
      <IconButton
        icon="bell"
        label={notifications.value ? "Notifications are on" : "Notify me when a session needs me"}
        pressed={notifications.value}
        onClick={() => void askForNotifications()}
      />
      <IconButton
        icon={isDark() ? "sun" : "moon"}
        label={isDark() ? "Light theme" : "Dark theme"}
        onClick={() => (theme.value = isDark() ? "light" : "dark")}
      />
      <a class="icon-button" href="/settings" title="Settings" aria-label="Settings">
        <Icon name="settings" />
      </a>
    </footer>
  );
}
