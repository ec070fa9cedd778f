/** The current key bindings, those of the view first, and the messages so far. */
import { titleOf } from "../action-titles.ts";
import type { KeyMode } from "../default-keys.ts";
import { shownKey } from "../keymap.ts";
import { padded, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { TextView, type TextLine } from "./text-view.ts";

const MODES: readonly (readonly [KeyMode, string])[] = [
  ["dashboard", "The list of sessions"],
  ["direct", "Panes"],
  ["prefix", "After the prefix"],
  ["copy", "Scrollback"],
  ["move", "Move mode"],
  ["picker", "Lists to choose from"],
  ["aggregate", "All terminals"],
  ["preview", "Preview"],
  ["tasks", "Tasks"],
  ["attention", "Attention"],
  ["projects", "Projects"],
  ["text", "Texts"],
  ["transcript", "Transcript"],
  ["changes", "Changes"],
  ["costs", "Cost"],
  ["git", "Git"],
  ["prompt", "A line of text"],
];

const GAP = 3;

/** `first`: the modes of the calling view. */
export function helpView(stage: Stage, titles: ReadonlyMap<string, string>, first: readonly KeyMode[]): TextView {
  const own = first.flatMap((mode) => MODES.filter(([name]) => name === mode));
  const others = MODES.filter(([name]) => !first.includes(name));
  const lay = (width: number): TextLine[] => [
    ...[...own, ...others].flatMap(([mode, title]) => [
      { text: mode === "prefix" ? `${title} (${stage.keymap.prefix})` : title, look: THEME.accentBold },
      ...inColumns(keysOf(stage, mode, titles), width),
      { text: "" },
    ]),
    { text: "Change keys in tui.json in AMUX_HOME; see docs/tui.md.", look: THEME.dim },
  ];
  return new TextView(stage, { title: "Keys", load: () => [], lay, isWhole: true });
}

/** `j down  move down`: all keys of an action in one entry. */
function keysOf({ keymap }: Stage, mode: KeyMode, titles: ReadonlyMap<string, string>): string[] {
  const keys = new Map<string, string[]>();
  for (const [key, action] of keymap.bindings(mode)) keys.set(action, [...(keys.get(action) ?? []), shownKey(key)]);
  const digits = [...keys.keys()].filter((action) => /-\d$/.test(action));
  // Nine keys that differ only in their number are one entry.
  for (const action of digits.slice(1)) keys.delete(action);
  const entries = [...keys].map(([action, names]) =>
    action === digits[0]
      ? ([names[0]!.replace("1", "1…9"), titleOf(mode, action, titles).replace(" 1", " 1 to 9")] as const)
      : ([names.slice(0, 3).join(" "), titleOf(mode, action, titles)] as const),
  );
  // Objects order numeric keys first; they are needed least.
  entries.sort(([a], [b]) => Number(/^\d/.test(a)) - Number(/^\d/.test(b)));
  const room = Math.max(0, ...entries.map(([names]) => widthOf(names)));
  return entries.map(([names, does]) => `${padded(names, room)}  ${does}`);
}

/** Fills columns from top to bottom. */
function inColumns(entries: readonly string[], width: number): TextLine[] {
  const size = Math.max(1, ...entries.map(widthOf)) + GAP;
  const columns = Math.max(1, Math.floor((width - 2 + GAP) / size));
  const rows = Math.ceil(entries.length / columns);
  return Array.from({ length: rows }, (_, row) => {
    const cells = Array.from({ length: columns }, (__, column) => entries[column * rows + row] ?? "");
    return {
      text: cells
        .map((cell) => padded(cell, size))
        .join("")
        .trimEnd(),
      indent: 2,
    };
  });
}

export function consoleView(stage: Stage): TextView {
  const load = (): TextLine[] =>
    stage.said.map(({ at, text }) => ({ text: `${at.toTimeString().slice(0, 8)}  ${text}` }));
  return new TextView(stage, { title: "Messages", load, atEnd: true });
}
