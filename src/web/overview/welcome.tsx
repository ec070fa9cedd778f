/** The welcome screen: what amux found, and the next steps. */
import type { JSX } from "preact";
import { openLaunch } from "../launch/launch-dialog.tsx";
import { askForNotifications } from "../notify/permission.ts";
import { openKeyHelp } from "../palette/key-help.tsx";
import { agents } from "../state/agents.ts";
import { notifications } from "../state/preferences.ts";
import { Icon } from "../ui/icon.tsx";

export function Welcome(): JSX.Element {
  const all = [...agents.value.values()];
  const found = all.filter(({ installed }) => installed);
  const missing = all.filter(({ installed }) => !installed);
  return (
    <section class="welcome" aria-label="Welcome">
      <h2>Welcome to amux</h2>
      <p>
        One place for every session of your coding agents. Sessions you start here keep running when you close this
        page.
      </p>
      <ol>
        <li>
          <h3>Start an agent</h3>
          {found.length === 0 ? (
            <p>
              No agent was found on your PATH. Install one, or start a shell and run what you like:{" "}
              <button type="button" class="small" onClick={() => openLaunch()}>
                Start a shell
              </button>
            </p>
          ) : (
            <p class="welcome-agents">
              {found.map(({ name, display_name }) => (
                <button key={name} type="button" class="primary small" onClick={() => openLaunch(undefined, name)}>
                  <Icon name="play" size={12} /> {display_name}
                </button>
              ))}
            </p>
          )}
          {missing.length === 0 ? null : (
            <p class="muted">Not installed: {missing.map(({ display_name }) => display_name).join(", ")}.</p>
          )}
        </li>
        <li>
          <h3>Find what you did before</h3>
          <p>
            amux reads the history that agents keep in your home directory. There is none yet, or it is elsewhere:{" "}
            <a href="/settings?check=1">see where amux looked</a>. Then see all <a href="/sessions">sessions</a>, or{" "}
            <a href="/search">search</a> them.
          </p>
        </li>
        <li>
          <h3>Know when you are needed</h3>
          <p>
            <a href="/settings">Install hooks</a>, so that agents you start elsewhere report when they wait for you.{" "}
            <button
              type="button"
              class="small"
              disabled={notifications.value}
              onClick={() => void askForNotifications()}
            >
              {notifications.value ? "Notifications are on" : "Turn on notifications"}
            </button>
          </p>
        </li>
        <li>
          <h3>Use it your way</h3>
          <p>
            <button type="button" class="small" onClick={openKeyHelp}>
              Keys
            </button>{" "}
            work everywhere; <kbd>Ctrl K</kbd> finds everything. On a phone, scan the code that{" "}
            <code>amux open --phone</code> prints.
          </p>
        </li>
      </ol>
    </section>
  );
}
