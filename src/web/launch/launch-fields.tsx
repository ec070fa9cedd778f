/** Fields of the launch dialog that ask the daemon for suggestions. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PermissionMode } from "../../core/permission-mode.ts";
import type { Agent } from "../state/agents.ts";
import { api } from "../state/api.ts";
import { peers } from "../state/projection.ts";

const MODES: Record<PermissionMode, string> = {
  plan: "Plan only: changes nothing",
  edits: "Edits files without asking",
  all: "Does everything without asking",
};

interface FieldProps<Value extends string = string> {
  value: Value;
  onChange(value: Value): void;
}

/** The machine choice; hidden without peers. */
export function MachineField({ value, onChange }: FieldProps): JSX.Element | null {
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

/** Completes directories while typing. */
export function FolderField({ value, machine, onChange }: FieldProps & { machine: string }): JSX.Element {
  const offers = useSignal<readonly string[]>([]);
  const earlier = useRef<AbortController>(undefined);
  const complete = async (text: string): Promise<void> => {
    onChange(text);
    // A late answer to an earlier text must not replace what is offered for this one.
    earlier.current?.abort();
    const { signal } = (earlier.current = new AbortController());
    try {
      const found = await api.directories(text, signal, machine === "" ? undefined : machine);
      if (!signal.aborted) offers.value = found;
    } catch {
      if (!signal.aborted) offers.value = []; // Completion is optional; launching reports the error.
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
      <Offers id="folders" values={offers.value} />
    </label>
  );
}

/** Offers the models that were used with the agent, then those of its vendor. */
export function ModelField(props: FieldProps & { agent: Agent; machine: string }): JSX.Element {
  const { value, agent, machine, onChange } = props;
  const used = useSignal<readonly string[]>([]);
  const priced = useSignal<readonly string[]>([]);
  const { name } = agent;
  useEffect(() => {
    const leaving = new AbortController();
    const peer = machine === "" ? undefined : machine;
    used.value = priced.value = [];
    const ignore = (): void => undefined; // Suggestions are optional; launching reports the error.
    void api.facets("", { agent: name }, leaving.signal, peer).then(({ models }) => {
      if (!leaving.signal.aborted) used.value = models.map(({ key }) => key);
    }, ignore);
    void api.models(peer).then((models) => {
      if (leaving.signal.aborted) return;
      const known = models.filter(({ vendor }) => vendor === agent.start?.vendor).map(({ id }) => id);
      priced.value = known.toReversed();
    }, ignore);
    return () => leaving.abort();
  }, [name, machine]);
  return (
    <label class="labelled">
      Model
      <input
        class="field"
        list="models"
        autocomplete="off"
        placeholder="Agent default"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <Offers id="models" values={[...new Set([...used.value, ...priced.value])]} />
    </label>
  );
}

export function ModeField(props: FieldProps<PermissionMode | ""> & { modes: readonly PermissionMode[] }): JSX.Element {
  const { value, modes, onChange } = props;
  return (
    <label class="labelled">
      Permissions
      <select
        class="field"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as PermissionMode | "")}
      >
        <option value="">Agent default</option>
        {modes.map((mode) => (
          <option key={mode} value={mode}>
            {MODES[mode]}
          </option>
        ))}
      </select>
    </label>
  );
}

function Offers({ id, values }: { id: string; values: readonly string[] }): JSX.Element {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
