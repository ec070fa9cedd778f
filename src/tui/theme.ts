/** The colours of the interface. Text uses the terminal's own colour where possible, so light and dark backgrounds work. */
import { COLOR_BITS, style, type Style } from "./render/style.ts";

const DARK = {
  text: style({}),
  dim: style({ fg: 244 }),
  faint: style({ fg: 240 }),
  bold: style({ bold: true }),
  accent: style({ fg: 75 }),
  accentBold: style({ fg: 75, bold: true }),
  warn: style({ fg: 214 }),
  bad: style({ fg: 203 }),
  good: style({ fg: 114 }),
  goodBold: style({ fg: 114, bold: true }),
  added: style({ bg: 22 }),
  removed: style({ bg: 52 }),
  selected: style({ fg: 255, bg: 24 }),
  selectedDim: style({ fg: 153, bg: 24 }),
  bar: style({ fg: 250, bg: 236 }),
  barStrong: style({ fg: 255, bg: 236, bold: true }),
  barAccent: style({ fg: 117, bg: 236, bold: true }),
  barWarn: style({ fg: 214, bg: 236, bold: true }),
  chip: style({ fg: 234, bg: 75, bold: true }),
  chipWarn: style({ fg: 234, bg: 214, bold: true }),
  panel: style({ fg: 252, bg: 235 }),
  panelDim: style({ fg: 245, bg: 235 }),
  panelTitle: style({ fg: 117, bg: 235, bold: true }),
  panelKey: style({ fg: 214, bg: 235 }),
  panelSelected: style({ fg: 255, bg: 24, bold: true }),
  match: style({ fg: 234, bg: 220 }),
  matchNow: style({ fg: 234, bg: 208, bold: true }),
  selection: style({ fg: 255, bg: 25 }),
} satisfies Record<string, Style>;

/** For light backgrounds, in 256 colours. */
const LIGHT: Record<keyof typeof DARK, Style> = {
  text: style({}),
  dim: style({ fg: 242 }),
  faint: style({ fg: 248 }),
  bold: style({ bold: true }),
  accent: style({ fg: 25 }),
  accentBold: style({ fg: 25, bold: true }),
  warn: style({ fg: 130 }),
  bad: style({ fg: 160 }),
  good: style({ fg: 28 }),
  goodBold: style({ fg: 28, bold: true }),
  added: style({ bg: 194 }),
  removed: style({ bg: 224 }),
  selected: style({ fg: 16, bg: 153 }),
  selectedDim: style({ fg: 238, bg: 153 }),
  bar: style({ fg: 238, bg: 254 }),
  barStrong: style({ fg: 16, bg: 254, bold: true }),
  barAccent: style({ fg: 25, bg: 254, bold: true }),
  barWarn: style({ fg: 130, bg: 254, bold: true }),
  chip: style({ fg: 231, bg: 25, bold: true }),
  chipWarn: style({ fg: 231, bg: 130, bold: true }),
  panel: style({ fg: 235, bg: 255 }),
  panelDim: style({ fg: 242, bg: 255 }),
  panelTitle: style({ fg: 25, bg: 255, bold: true }),
  panelKey: style({ fg: 130, bg: 255 }),
  panelSelected: style({ fg: 16, bg: 153, bold: true }),
  match: style({ fg: 16, bg: 222 }),
  matchNow: style({ fg: 16, bg: 214, bold: true }),
  selection: style({ fg: 16, bg: 117 }),
};

/** Uses the terminal's own 16 colours, for custom palettes. */
const TERMINAL: Record<keyof typeof DARK, Style> = {
  text: style({}),
  dim: style({ dim: true }),
  faint: style({ dim: true }),
  bold: style({ bold: true }),
  accent: style({ fg: 6 }),
  accentBold: style({ fg: 6, bold: true }),
  warn: style({ fg: 3 }),
  bad: style({ fg: 1 }),
  good: style({ fg: 2 }),
  goodBold: style({ fg: 2, bold: true }),
  // Its colours are not for backgrounds.
  added: style({ fg: 2 }),
  removed: style({ fg: 1 }),
  selected: style({ inverse: true }),
  selectedDim: style({ inverse: true }),
  bar: style({ fg: 0, bg: 7 }),
  barStrong: style({ fg: 0, bg: 7, bold: true }),
  barAccent: style({ fg: 4, bg: 7, bold: true }),
  barWarn: style({ fg: 1, bg: 7, bold: true }),
  chip: style({ fg: 0, bg: 6, bold: true }),
  chipWarn: style({ fg: 0, bg: 3, bold: true }),
  panel: style({}),
  panelDim: style({ dim: true }),
  panelTitle: style({ fg: 6, bold: true }),
  panelKey: style({ fg: 3 }),
  panelSelected: style({ inverse: true }),
  match: style({ fg: 0, bg: 3 }),
  matchNow: style({ fg: 0, bg: 5, bold: true }),
  selection: style({ inverse: true }),
};

const PALETTES = { dark: DARK, light: LIGHT, terminal: TERMINAL };
export type ThemeName = keyof typeof PALETTES;
export const THEMES = Object.keys(PALETTES) as ThemeName[];

/** Status colours of the other palettes; a status without one is dim. */
const STATUS_COLORS: Readonly<Record<Exclude<ThemeName, "dark">, Readonly<Record<string, number>>>> = {
  light: { permission: 90, waiting: 130, working: 25, error: 160, done: 28 },
  terminal: { permission: 5, waiting: 3, working: 6, error: 1, done: 2 },
};

/** The current theme. Read it while drawing, because settings replace its values at startup. */
export const THEME: Record<keyof typeof DARK, Style> = { ...DARK };

let used: ThemeName = "dark";

export function setTheme(name: ThemeName): void {
  Object.assign(THEME, PALETTES[name]);
  used = name;
}

/** The terminal's own colours are not among them: they also are those of programs in panes. */
const MARKS: ReadonlySet<number> = new Set(
  [DARK, LIGHT].flatMap(({ selected, chip, chipWarn, match, matchNow, selection }) =>
    [selected, chip, chipWarn, match, matchNow, selection].map(({ bg }) => bg & COLOR_BITS),
  ),
);

/** Backgrounds with a meaning, such as the selection: without colours these cells are inverse. */
export function isMark(bg: number): boolean {
  return MARKS.has(bg & COLOR_BITS);
}

interface StatusLook {
  icon: string;
  look: Style;
}

/** Icons one column wide in every terminal; emoji are not. */
const STATUS: Readonly<Record<string, StatusLook>> = {
  permission: { icon: "?", look: style({ fg: 207, bold: true }) },
  waiting: { icon: "◆", look: style({ fg: 226, bold: true }) },
  working: { icon: "●", look: style({ fg: 51 }) },
  error: { icon: "✗", look: style({ fg: 203, bold: true }) },
  idle: { icon: "○", look: style({ fg: 245 }) },
  stopped: { icon: "■", look: style({ fg: 245 }) },
  done: { icon: "✓", look: style({ fg: 114 }) },
  offline: { icon: "·", look: style({ fg: 241 }) },
};

export function statusLook(status: string): StatusLook {
  const known = STATUS[status] ?? { icon: "○", look: style({ fg: 241 }) };
  if (used === "dark") return known;
  const color = STATUS_COLORS[used][status];
  return { icon: known.icon, look: color === undefined ? THEME.dim : style({ fg: color, bold: true }) };
}
