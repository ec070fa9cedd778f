/** What is shown of a session: its terminal, its messages, or its changes. */
import type { JSX } from "preact";
import { showBeside, shownBeside } from "../state/beside.ts";
import { isNarrow } from "../state/preferences.ts";
import { param, setParams } from "../state/route.ts";
import { lazy } from "../ui/lazy.tsx";

export const ChangesView = lazy(async () => (await import("../changes/changes-view.tsx")).ChangesView);

export type Tab = readonly [value: string, label: string];

export interface Tabs {
  /** The empty one is shown first. */
  tabs: readonly Tab[];
  shown: string;
  show(value: string): void;
}

/** The address has the choice. `beside`: the session, if it is beside the main one. */
export function tabsOf(tabs: readonly Tab[], beside?: string): Tabs {
  const shown = beside === undefined ? param("show") : shownBeside(beside);
  return {
    tabs,
    shown: tabs.some(([value]) => value === shown) ? shown : "",
    show: (value) => {
      if (beside === undefined) setParams({ show: value, changes: "", new: "", mine: "" });
      else showBeside(beside, value);
    },
  };
}

/** In the header, or below it on a phone. */
export function ViewTabs({
  tabs: { tabs, shown, show },
  isBelow,
}: {
  tabs: Tabs;
  isBelow: boolean;
}): JSX.Element | null {
  if (isNarrow.value !== isBelow) return null;
  return (
    <div class={`segments ${isBelow ? "talk-switch" : ""}`} role="group" aria-label="Show">
      {tabs.map(([value, label]) => (
        <button key={value} type="button" aria-pressed={shown === value} onClick={() => show(value)}>
          {label}
        </button>
      ))}
    </div>
  );
}
