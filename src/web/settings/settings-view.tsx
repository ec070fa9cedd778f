/** Settings, and information about this amux. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Health } from "../../protocol/daemon-api.ts";
import { openKeyHelp } from "../palette/key-help.tsx";
import { api } from "../state/api.ts";
import { terminalFont, theme, type Theme } from "../state/preferences.ts";
import { Icon } from "../ui/icon.tsx";
import { attempt } from "../ui/notices.ts";
import { fullTime } from "../ui/times.ts";
import { DoctorSettings } from "./doctor-settings.tsx";
import { HookSettings } from "./hook-settings.tsx";
import { NotifySettings } from "./notify-settings.tsx";
import { PeerSettings } from "./peer-settings.tsx";
import { PriceSettings } from "./price-settings.tsx";
import { Group } from "./settings-group.tsx";

const THEMES: readonly [Theme, string][] = [
  ["system", "Same as the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

const FONT_SIZES = [10, 11, 12, 13, 14, 15, 16, 18, 20, 24];

export function SettingsView(): JSX.Element {
  const health = useSignal<Health | null>(null);
  useEffect(() => {
    void attempt(async () => (health.value = await api.health()));
  }, []);
  return (
    <article class="settings scroll">
      <header class="view-head plain">
        <a class="icon-button only-phone" href="/list" aria-label="All sessions">
          <Icon name="back" />
        </a>
        <div class="view-title">
          <h1>Settings</h1>
        </div>
      </header>
      <Group title="Appearance">
        <label class="labelled">
          Theme
          <select
            class="field"
            value={theme.value}
            onChange={(event) => (theme.value = event.currentTarget.value as Theme)}
          >
            {THEMES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label class="labelled">
          Terminal font size
          <select
            class="field"
            value={terminalFont.value}
            onChange={(event) => (terminalFont.value = Number(event.currentTarget.value))}
          >
            <option value={0}>Automatic</option>
            {FONT_SIZES.map((size) => (
              <option key={size} value={size}>
                {size} px
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={openKeyHelp}>
          Show the keys
        </button>
      </Group>
      <PeerSettings />
      {/* What arrives later is below what can be used at once: a button that moves under the pointer is missed. */}
      <NotifySettings />
      <HookSettings />
      <PriceSettings />
      <DoctorSettings />
      <Group title="About">
        {health.value === null ? null : (
          <p>
            amux {health.value.version} on {health.value.hostname}
            {health.value.listen === undefined ? "" : `, listening on ${health.value.listen}`}, running since{" "}
            {fullTime(health.value.started_at)}.
          </p>
        )}
      </Group>
    </article>
  );
}
