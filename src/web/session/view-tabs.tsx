/** What is shown of a session: its terminal, its messages, or its changes. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
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

/** The address has the choice of the main session; one beside it has its own. */
export function useTabs(isMain: boolean, tabs: readonly Tab[]): Tabs {
  const own = useSignal("");
  const shown = isMain ? param("show") : own.value;
  return {
    tabs,
    shown: tabs.some(([value]) => value === shown) ? shown : "",
    show: (value) => {
      if (isMain) setParams({ show: value, changes: "", new: "", mine: "" });
      else own.value = value;
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
