/** Filters of the Changes view, kept in the address for the main session. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { param, setParams } from "../state/route.ts";
import { IconButton } from "../ui/button.tsx";
import { age } from "../ui/times.ts";
import type { Changes, ChangesFilter } from "./changes.ts";

const KINDS: readonly [value: string, label: string][] = [
  ["", "All"],
  ["staged", "Staged"],
  ["committed", "Committed"],
];

export interface FilterFields {
  read(name: string): string;
  write(values: Readonly<Record<string, string>>): void;
}

export function useFilter(isMain: boolean): FilterFields {
  const own = useSignal<Readonly<Record<string, string>>>({});
  if (isMain) return { read: param, write: setParams };
  return { read: (name) => own.value[name] ?? "", write: (values) => (own.value = { ...own.value, ...values }) };
}

export function filterFrom({ read }: FilterFields): ChangesFilter {
  const kind = read("changes");
  return {
    ...(kind === "staged" ? { staged: true } : {}),
    ...(kind === "committed" ? { committed: true } : {}),
    ...(read("new") === "" ? {} : { since_look: true }),
    ...(read("mine") === "" ? {} : { mine: true }),
  };
}

export function ChangesTools({ changes, filter }: { changes: Changes; filter: FilterFields }): JSX.Element {
  const kind = filter.read("changes");
  const { lookedAt, files = [] } = changes.answer.value ?? {};
  const seen = lookedAt === undefined ? "never" : age(lookedAt) === "now" ? "just now" : `${age(lookedAt)} ago`;
  return (
    <div class="changes-tools" role="toolbar" aria-label="Filter changes">
      <div class="segments" role="group" aria-label="Which changes">
        {KINDS.map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={kind === value}
            onClick={() => filter.write({ changes: value })}
          >
            {label}
          </button>
        ))}
      </div>
      <Toggle filter={filter} name="new" label="Since I last looked" title={`You last looked: ${seen}`} />
      <Toggle
        filter={filter}
        name="mine"
        label="Only this session's"
        title="Only what this session made, as far as it is known"
      />
      <button
        type="button"
        class="small"
        disabled={files.length === 0}
        title="Remembers what you have seen; “Since I last looked” leaves it out"
        onClick={() => void changes.see(files)}
      >
        Mark all as seen
      </button>
      {changes.isOutdated.value ? (
        <button type="button" class="small" onClick={() => void changes.reload()}>
          The session went on: compare again
        </button>
      ) : (
        <IconButton
          icon="refresh"
          label="Compare again"
          disabled={changes.isLoading.value}
          onClick={() => void changes.reload()}
        />
      )}
    </div>
  );
}

interface ToggleProps {
  filter: FilterFields;
  name: string;
  label: string;
  title: string;
}

function Toggle({ filter, name, label, title }: ToggleProps): JSX.Element {
  const isOn = filter.read(name) !== "";
  return (
    <button
      type="button"
      class="small"
      aria-pressed={isOn}
      title={title}
      onClick={() => filter.write({ [name]: isOn ? "" : "1" })}
    >
      {label}
    </button>
  );
}
