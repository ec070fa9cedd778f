/** Filters of the Changes view, kept in the address. */
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

export function filterFrom(): ChangesFilter {
  const kind = param("changes");
  return {
    ...(kind === "staged" ? { staged: true } : {}),
    ...(kind === "committed" ? { committed: true } : {}),
    ...(param("new") === "" ? {} : { since_look: true }),
    ...(param("mine") === "" ? {} : { mine: true }),
  };
}

export function ChangesTools({ changes }: { changes: Changes }): JSX.Element {
  const kind = param("changes");
  const { lookedAt, files = [] } = changes.answer.value ?? {};
  const seen = lookedAt === undefined ? "never" : age(lookedAt) === "now" ? "just now" : `${age(lookedAt)} ago`;
  return (
    <div class="changes-tools" role="toolbar" aria-label="Filter changes">
      <div class="segments" role="group" aria-label="Which changes">
        {KINDS.map(([value, label]) => (
          <button key={value} type="button" aria-pressed={kind === value} onClick={() => setParams({ changes: value })}>
            {label}
          </button>
        ))}
      </div>
      <Toggle name="new" label="Since I last looked" title={`You last looked: ${seen}`} />
      <Toggle name="mine" label="Only this session's" title="Only what this session made, as far as it is known" />
      <button
        type="button"
        class="small"
        disabled={files.length === 0}
        title="Remembers what you have seen; “Since I last looked” leaves it out"
        onClick={() => void changes.see(files)}
      >
        Mark all as seen
      </button>
      <IconButton
        icon="refresh"
        label="Compare again"
        disabled={changes.isLoading.value}
        onClick={() => void changes.reload()}
      />
    </div>
  );
}

function Toggle({ name, label, title }: { name: string; label: string; title: string }): JSX.Element {
  const isOn = param(name) !== "";
  return (
    <button
      type="button"
      class="small"
      aria-pressed={isOn}
      title={title}
      onClick={() => setParams({ [name]: isOn ? "" : "1" })}
    >
      {label}
    </button>
  );
}
