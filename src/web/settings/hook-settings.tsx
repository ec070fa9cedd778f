/** Hooks in agents' settings: state, installation, removal. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { AgentHooks } from "../../protocol/settings-api.ts";
import { api } from "../state/api.ts";
import { attempt, messageOf, tell } from "../ui/notices.ts";
import { Group } from "./settings-group.tsx";

const STATES: Record<AgentHooks["state"], string> = {
  absent: "no hooks",
  installed: "hooks installed",
  outdated: "hooks of another version",
  none: "has no hooks",
};

export function HookSettings(): JSX.Element {
  const all = useSignal<readonly AgentHooks[]>([]);
  const note = useSignal("Looking at agents' settings …");
  const load = async (): Promise<void> => {
    try {
      all.value = await api.hooks();
      note.value = "";
    } catch (error) {
      note.value = messageOf(error);
    }
  };
  useEffect(() => void load(), []);
  const missing = all.value.filter(({ installed }) => !installed).map(({ display_name }) => display_name);
  return (
    <Group title="Agents and hooks">
      <p>
        Agents that amux starts report their state by themselves. Hooks in an agent's own settings do the same for those
        you start elsewhere. Removing them restores the settings.
      </p>
      <ul class="peers">
        {all.value
          .filter(({ installed, state }) => installed || state === "installed" || state === "outdated")
          .map((hooks) => (
            <Agent key={hooks.agent} hooks={hooks} onChange={load} />
          ))}
      </ul>
      {missing.length === 0 ? null : <p class="muted">Not found on your PATH: {missing.join(", ")}.</p>}
      {note.value === "" ? null : (
        <p class="muted" role="status">
          {note.value}
        </p>
      )}
    </Group>
  );
}

function Agent({ hooks, onChange }: { hooks: AgentHooks; onChange(): Promise<void> }): JSX.Element {
  const { agent, display_name, version = "", state, path = "", problem } = hooks;
  const isBusy = useSignal(false);
  const change = async (isInstalled: boolean): Promise<void> => {
    isBusy.value = true;
    const done = await attempt(() => (isInstalled ? api.installHooks(agent) : api.uninstallHooks(agent)));
    if (done?.note !== undefined) tell(done.note);
    await onChange();
    isBusy.value = false;
  };
  return (
    <li>
      <span>
        <strong>{display_name}</strong> <span class="muted">{version}</span>
        <br />
        <span class="muted">{state === "none" || problem === undefined ? STATES[state] : "state unknown"}</span>{" "}
        <span class={problem === undefined || state === "none" ? "muted path" : "bad"}>{problem ?? path}</span>
      </span>
      {state === "absent" || state === "outdated" ? (
        <button
          type="button"
          class="small"
          disabled={isBusy.value}
          aria-label={`${state === "absent" ? "Install" : "Update"} hooks of ${display_name}`}
          onClick={() => void change(true)}
        >
          {state === "absent" ? "Install" : "Update"}
        </button>
      ) : null}
      {state === "installed" || state === "outdated" ? (
        <button
          type="button"
          class="small"
          disabled={isBusy.value}
          aria-label={`Remove hooks of ${display_name}`}
          onClick={() => void change(false)}
        >
          Remove
        </button>
      ) : null}
    </li>
  );
}
