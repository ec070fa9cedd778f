/** View preferences in this browser. They never hold session state. */
import { effect, signal, type Signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

export const theme = remembered<Theme>("theme", "system");
/** Of terminals, in pixels; 0 follows the width of the screen. */
export const terminalFont = remembered<number>("terminal-font", 0);
export const collapsed = remembered<readonly string[]>("collapsed", []);
export const notifications = remembered<boolean>("notifications", false);
/** This browser's channel for push; empty if it has none. */
export const pushChannel = remembered<string>("push-channel", "");
/** Named views of the sessions table, as address queries. */
export const savedViews = remembered<Readonly<Record<string, string>>>("views", {});
/** Whether the attention strip is collapsed. */
export const attentionFolded = remembered<boolean>("attention-folded", false);
/** Sizes of panes side by side, in percent. */
export const paneSizes = remembered<Readonly<Record<string, number>>>("pane-sizes", {});
/** When the overview was last visible. */
export const lastLook = remembered<string>("last-look", "");
/** Since when its changes were shown then: a reload shows them again. */
export const shownSince = remembered<string>("shown-since", "");

function remembered<Value>(name: string, initial: Value): Signal<Value> {
  const key = `amux.${name}`;
  const value = signal(read(key, initial));
  effect(() => localStorage.setItem(key, JSON.stringify(value.value)));
  return value;
}

function read<Value>(key: string, initial: Value): Value {
  const text = localStorage.getItem(key);
  if (text === null) return initial;
  try {
    const value = JSON.parse(text) as Value | null;
    const isSameKind = typeof value === typeof initial && Array.isArray(value) === Array.isArray(initial);
    return isSameKind && value !== null ? value : initial;
  } catch {
    return initial; // Written by an older build; the default is used.
  }
}

export function applyTheme(): void {
  effect(() => {
    const { value } = theme;
    if (value === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = value;
  });
}

const darkQuery = matchMedia("(prefers-color-scheme: dark)");
export const systemDark = signal(darkQuery.matches);
darkQuery.addEventListener("change", ({ matches }) => (systemDark.value = matches));

const narrowQuery = matchMedia("(max-width: 760px)");
/** A phone's width, as in phone.css. */
export const isNarrow = signal(narrowQuery.matches);
narrowQuery.addEventListener("change", ({ matches }) => (isNarrow.value = matches));

export function isDark(): boolean {
  return theme.value === "system" ? systemDark.value : theme.value === "dark";
}
