/** The dialog that starts a session. */
import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { agents, tilde, type Agent } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { sessions } from "../state/projection.ts";
import { awaitSession } from "../state/selection.ts";
import { Dialog } from "../ui/dialog.tsx";
import { attempt, messageOf, tell } from "../ui/notices.ts";
import { FolderField, MachineField, ModeField, ModelField } from "./launch-fields.tsx";
import { problemOf, requestOf, SHELL, type Draft } from "./launch-request.ts";
import { Problem } from "../ui/problem.tsx";

/** The daemon takes no longer name. */
const MAX_NAME = 200;

const EMPTY = { machine: "", prompt: "", model: "", mode: "", name: "", flags: "", branch: "" } as const;

const place = signal<{ cwd: string; agent: string | undefined } | null>(null);

/** Defaults to the directory of the newest session. */
export function openLaunch(cwd?: string, agent?: string): void {
  const [newest] = [...sessions.value.values()].filter(({ alive, peer }) => alive && peer === undefined);
  place.value = { cwd: tilde(cwd ?? newest?.cwd ?? "~"), agent };
}

export function LaunchDialog(): JSX.Element | null {
  if (place.value === null) return null;
  return <LaunchForm {...place.value} onClose={() => (place.value = null)} />;
}

interface LaunchFormProps {
  cwd: string;
  /** Preselected values. */
  agent: string | undefined;
  onClose(): void;
}

function LaunchForm({ cwd, agent: wanted, onClose }: LaunchFormProps): JSX.Element {
  const error = useSignal("");
  const isBusy = useSignal(false);
  const draft = useSignal<Draft>({ ...EMPTY, folder: cwd });
  const { machine, folder, prompt, model, mode, name, flags, branch } = draft.value;
  const installed = useInstalled(machine);
  // Until one is chosen, the first that is installed.
  const agent = draft.value.agent ?? wanted ?? installed[0]?.name ?? SHELL;
  const chosen = installed.find((one) => one.name === agent);
  const set = (part: Partial<Draft>): void => void (draft.value = { ...draft.value, ...part });

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    // A disabled button does not stop Ctrl+Enter.
    if (isBusy.peek()) return;
    error.value = problemOf(draft.value) ?? "";
    if (error.value !== "") return;
    isBusy.value = true;
    try {
      const { session_id, worktree } = await api.launch(requestOf({ ...draft.value, agent }, chosen?.start));
      for (const note of worktree?.notes ?? []) tell(note);
      awaitSession(session_id);
      onClose();
    } catch (failure) {
      error.value = messageOf(failure);
    } finally {
      isBusy.value = false;
    }
  };

  return (
    <Dialog label="New session" onClose={onClose} class="launch">
      <form
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        <h2>New session</h2>
        <fieldset class="choices">
          <legend>Agent</legend>
          {[{ name: SHELL, display_name: "Shell or command" }, ...installed].map((one) => (
            <label key={one.name} class="choice">
              <input
                type="radio"
                name="agent"
                checked={agent === one.name}
                onChange={() => set({ agent: one.name, model: "", mode: "" })}
              />
              <span>{one.display_name}</span>
            </label>
          ))}
        </fieldset>
        {chosen?.start?.prompt === true ? (
          <label class="labelled">
            Prompt (optional)
            <textarea
              class="field"
              rows={3}
              placeholder="What should it do?"
              value={prompt}
              onInput={(event) => set({ prompt: event.currentTarget.value })}
            />
          </label>
        ) : null}
        <MachineField
          value={machine}
          // Agents and directories differ between machines.
          onChange={(value) => set({ machine: value, agent: SHELL, folder: value === "" ? cwd : "~" })}
        />
        <FolderField value={folder} machine={machine} onChange={(value) => set({ folder: value })} />
        {agent === SHELL ? (
          <Text
            label="Command"
            class="mono"
            placeholder="your shell"
            value={flags}
            onChange={(value) => set({ flags: value })}
          />
        ) : null}
        {chosen?.start === undefined ? null : (
          <div class="field-pair">
            <ModelField agent={chosen} machine={machine} value={model} onChange={(value) => set({ model: value })} />
            {chosen.start.modes.length === 0 ? null : (
              <ModeField modes={chosen.start.modes} value={mode} onChange={(value) => set({ mode: value })} />
            )}
          </div>
        )}
        <div class="field-pair">
          <Text
            label="Name (optional)"
            placeholder="its own title"
            maxLength={MAX_NAME}
            value={name}
            onChange={(value) => set({ name: value })}
          />
          <Text
            label="New git worktree (optional)"
            placeholder="branch name; empty for none"
            value={branch}
            onChange={(value) => set({ branch: value })}
          />
        </div>
        {agent === SHELL ? null : (
          <Text
            label="Extra arguments"
            class="mono"
            placeholder="none"
            value={flags}
            onChange={(value) => set({ flags: value })}
          />
        )}
        <Problem text={error.value} />
        <footer class="dialog-foot">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value ? "Starting …" : "Start"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface TextProps {
  label: string;
  placeholder: string;
  class?: string;
  maxLength?: number;
  value: string;
  onChange(value: string): void;
}

function Text({ label, placeholder, maxLength, class: extra = "", value, onChange }: TextProps): JSX.Element {
  return (
    <label class="labelled">
      {label}
      <input
        class={`field ${extra}`}
        placeholder={placeholder}
        maxLength={maxLength}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

/** The agents that can start on a machine. */
function useInstalled(machine: string): Agent[] {
  const far = useSignal<readonly Agent[]>([]);
  useEffect(() => {
    far.value = [];
    if (machine === "") return;
    let isLeft = false;
    void attempt(async () => {
      const { agents: list } = await api.capabilities(machine);
      if (!isLeft) far.value = list;
    });
    return () => void (isLeft = true);
  }, [machine]);
  const known = machine === "" ? [...agents.value.values()] : far.value;
  return known.filter((agent) => agent.installed);
}
