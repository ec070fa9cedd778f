/** The dialog that starts a session. */
import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { LaunchRequest } from "../../protocol/daemon-api.ts";
import { agents, type Agent } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { peers, sessions } from "../state/projection.ts";
import { awaitSession } from "../state/selection.ts";
import { Dialog } from "../ui/dialog.tsx";
import { attempt, messageOf } from "../ui/notices.ts";
import { splitWords } from "./split-arguments.ts";

const SHELL = "";
/** Characters that git does not allow in a branch name. */
const NO_BRANCH = /^-|[\s~^:?*[\\]/;

const place = signal<{ cwd: string; agent: string | undefined } | null>(null);

/** Defaults to the directory of the newest session. */
export function openLaunch(cwd?: string, agent?: string): void {
  const [newest] = [...sessions.value.values()].filter(({ alive, peer }) => alive && peer === undefined);
  place.value = { cwd: cwd ?? newest?.cwd ?? "~", agent };
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
  const machine = useSignal("");
  const installed = useInstalled(machine.value);
  const agent = useSignal(wanted ?? installed[0]?.name ?? SHELL);
  const folder = useSignal(cwd);
  const name = useSignal("");
  const flags = useSignal("");
  const model = useSignal("");
  const branch = useSignal("");
  const error = useSignal("");
  const isBusy = useSignal(false);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (NO_BRANCH.test(branch.value.trim())) {
      error.value = `“${branch.value.trim()}” cannot be a branch name: leave out spaces and ~ ^ : ? * [ \\, and begin with a letter.`;
      return;
    }
    isBusy.value = true;
    error.value = "";
    try {
      const request: LaunchRequest = {
        ...requestOf(agent.value, folder.value, model.value, flags.value, branch.value),
        ...(name.value.trim() === "" ? {} : { name: name.value.trim() }),
        ...(machine.value === "" ? {} : { peer: machine.value }),
      };
      const { session_id } = await api.launch(request);
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
      <form onSubmit={(event) => void submit(event)}>
        <h2>New session</h2>
        <fieldset class="choices">
          <legend>Agent</legend>
          {[{ name: SHELL, display_name: "Shell or command" }, ...installed].map(({ name, display_name }) => (
            <label key={name} class="choice">
              <input type="radio" name="agent" checked={agent.value === name} onChange={() => (agent.value = name)} />
              <span>{display_name}</span>
            </label>
          ))}
        </fieldset>
        <MachineField
          value={machine.value}
          onChange={(value) => {
            machine.value = value;
            // Agents and directories differ between machines.
            agent.value = SHELL;
            folder.value = value === "" ? cwd : "~";
          }}
        />
        <FolderField value={folder.value} machine={machine.value} onChange={(value) => (folder.value = value)} />
        {agent.value === SHELL ? null : (
          <label class="labelled">
            Model
            <input
              class="field"
              placeholder="Agent default"
              value={model.value}
              onInput={(event) => (model.value = event.currentTarget.value)}
            />
          </label>
        )}
        <label class="labelled">
          {agent.value === SHELL ? "Command" : "Extra arguments"}
          <input
            class="field mono"
            name="command"
            placeholder={agent.value === SHELL ? "your shell" : "none"}
            value={flags.value}
            onInput={(event) => (flags.value = event.currentTarget.value)}
          />
        </label>
        <label class="labelled">
          Name (optional)
          <input
            class="field"
            placeholder="its own title"
            maxLength={200}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <label class="labelled">
          New git worktree (optional)
          <input
            class="field"
            placeholder="branch name; empty for none"
            value={branch.value}
            onInput={(event) => (branch.value = event.currentTarget.value)}
          />
        </label>
        {error.value === "" ? null : (
          <p class="bad" role="alert">
            {error.value}
          </p>
        )}
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

function requestOf(agent: string, cwd: string, model: string, flags: string, branch: string): LaunchRequest {
  const words = splitWords(flags);
  const request: LaunchRequest = { cwd };
  if (branch.trim() !== "") request.worktree = { branch: branch.trim() };
  if (agent === SHELL) return words.length === 0 ? request : { ...request, command: words };
  return { ...request, agent, args: [...(model.trim() === "" ? [] : ["--model", model.trim()]), ...words] };
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

/** The machine choice; hidden without peers. */
function MachineField({ value, onChange }: { value: string; onChange(value: string): void }): JSX.Element | null {
  const reachable = peers.value.filter(({ state }) => state === "connected");
  if (reachable.length === 0) return null;
  return (
    <label class="labelled">
      Machine
      <select class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">this one</option>
        {reachable.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FolderFieldProps {
  value: string;
  machine: string;
  onChange(value: string): void;
}

/** Completes directories while typing. */
function FolderField({ value, machine, onChange }: FolderFieldProps): JSX.Element {
  const offers = useSignal<readonly string[]>([]);
  const complete = async (text: string): Promise<void> => {
    onChange(text);
    try {
      offers.value = await api.directories(text, machine === "" ? undefined : machine);
    } catch {
      offers.value = []; // Completion is optional; launching reports the error.
    }
  };
  return (
    <label class="labelled">
      Folder
      <input
        class="field mono"
        name="folder"
        list="folders"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onFocus={() => void complete(value)}
        onInput={(event) => void complete(event.currentTarget.value)}
      />
      <datalist id="folders">
        {offers.value.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </label>
  );
}
