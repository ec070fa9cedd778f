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
  ["copy", "Scrolled back"],
  ["move", "In move mode"],
  ["picker", "In lists"],
  ["aggregate", "In the view of all terminals"],
  ["preview", "In the preview"],
  ["tasks", "In the tasks"],
  ["attention", "Attention view"],
  ["projects", "In the view of projects"],
  ["text", "In texts"],
  ["git", "In the view of a repository"],
  ["prompt", "Where a line is typed"],
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
  const last = { text: "Keys are bound anew in tui.json of amux's home; see docs/tui.md.", look: THEME.dim };
  return new TextView(stage, { title: "Keys", load: () => [...lines, last] });
}

export function consoleView(stage: Stage): TextView {
  const load = (): TextLine[] => stage.said.map(({ at, text }) => ({ text: `${at.toLocaleTimeString()}  ${text}` }));
  return new TextView(stage, { title: "What was said", load, atEnd: true });
}
