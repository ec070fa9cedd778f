/** The columns menu and the saved views of the table. The address holds both. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { savedViews } from "../state/preferences.ts";
import { peers } from "../state/projection.ts";
import { go, route, setParams } from "../state/route.ts";
import { IconButton } from "../ui/button.tsx";
import { tell } from "../ui/notices.ts";
import { COLUMNS } from "./columns.tsx";
import { columnsText } from "./shown-columns.ts";

export function ColumnsMenu({ shown }: { shown: readonly string[] }): JSX.Element {
  const toggle = (name: string): void => {
    const next = shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name];
    setParams({ columns: columnsText(next, peers.value.length > 0) });
  };
  return (
    <details class="menu">
      <summary class="button small">Columns</summary>
      <ul>
        {COLUMNS.map(({ name, label }) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} /> {label}
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Built-in views. */
const GIVEN: Readonly<Record<string, string>> = {
  "All sessions": "",
  Running: "?q=state%3Arunning",
  "This week": "?q=after%3A7d",
  "Most expensive": "?sort=-cost",
};

export function SavedViews(): JSX.Element {
  const name = useSignal("");
  void route.value;
  const here = location.search;
  // Built-in views win, because earlier builds could save views under their names.
  const all: Record<string, string> = { ...GIVEN, ...savedViews.value, ...GIVEN };
  const current = Object.keys(all).find((key) => all[key] === here);
  const close = (target: Element): void => void (target.closest("details")!.open = false);
  return (
    <details class="menu views-menu">
      <summary class="button small">{current ?? "Views"}</summary>
      <ul>
        {Object.entries(all).map(([key, search]) => (
          <li key={key} class="saved-view">
            <button
              type="button"
              aria-pressed={search === here}
              onClick={({ currentTarget }) => {
                close(currentTarget);
                go(`/sessions${search}`);
              }}
            >
              {key}
            </button>
            {Object.hasOwn(GIVEN, key) ? null : (
              <IconButton
                icon="close"
                label={`Delete the view ${key}`}
                onClick={() => {
                  const { [key]: _, ...others } = savedViews.value;
                  savedViews.value = others;
                }}
              />
            )}
          </li>
        ))}
        <li>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const wanted = name.value.trim();
              if (wanted === "") return;
              if (Object.hasOwn(GIVEN, wanted)) {
                tell(`“${wanted}” is one of amux's own views. Choose another name.`, { tone: "bad" });
                return;
              }
              savedViews.value = { ...savedViews.value, [wanted]: here };
              name.value = "";
              close(event.currentTarget);
            }}
          >
            <input
              class="field small"
              placeholder="Save this view as …"
              aria-label="Name for this view"
              value={name.value}
              onInput={(event) => (name.value = event.currentTarget.value)}
            />
          </form>
        </li>
      </ul>
    </details>
  );
}
