/** The keys as they are bound now, and what was said so far. */
import type { KeyMode } from "../default-keys.ts";
import { shownKey } from "../keymap.ts";
import { THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { TextView, type TextLine } from "./text-view.ts";

const MODES: readonly (readonly [KeyMode, string])[] = [
  ["direct", "Everywhere"],
  ["prefix", "After the prefix"],
  ["dashboard", "In the list of sessions"],
  ["copy", "In the scrollback"],
  ["move", "In move mode"],
  ["picker", "In lists"],
  ["aggregate", "In the view of all terminals"],
  ["preview", "In the preview"],
  ["tasks", "In the tasks"],
  ["attention", "Attention view"],
  ["projects", "In the projects view"],
  ["text", "In a text view"],
  ["transcript", "In a transcript"],
  ["git", "In the git view"],
  ["prompt", "In a prompt"],
];

export function helpView(stage: Stage, titles: ReadonlyMap<string, string>): TextView {
  const lines = MODES.flatMap(([mode, title]): TextLine[] => [
    { text: mode === "prefix" ? `${title} (${stage.keymap.prefix})` : title, look: THEME.accentBold },
    ...stage.keymap.bindings(mode).map(([key, action]) => ({
      text: `${shownKey(key).padEnd(14)} ${titles.get(action) ?? action.replaceAll("-", " ")}`,
      indent: 2,
    })),
    { text: "" },
  ]);
  const last = { text: "Change keys in tui.json in AMUX_HOME; see docs/tui.md.", look: THEME.dim };
  return new TextView(stage, { title: "Keys", load: () => [...lines, last] });
}

export function consoleView(stage: Stage): TextView {
  const load = (): TextLine[] => stage.said.map(({ at, text }) => ({ text: `${at.toLocaleTimeString()}  ${text}` }));
  return new TextView(stage, { title: "Messages", load, atEnd: true });
}
