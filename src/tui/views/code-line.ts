/** A line of code in colours. The highlighter is loaded when the first code is shown; until then it is plain. */
import type { Colour, Stretch } from "../../screen/syntax.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { COLOR_BITS, style, type Style } from "../render/style.ts";
import { THEME } from "../theme.ts";

export interface CodeOptions {
  look: Style;
  /** A name or a file's ending; empty: plain. */
  language: string;
  /** Changed parts, in characters. */
  marks?: readonly (readonly [from: number, to: number])[];
  /** The highlighter is there: draw again. */
  loaded(): void;
}

/** Longer lines are generated, and the highlighter would take long. */
const MAX_CHARACTERS = 500;
const MAX_KEPT = 2000;
export const TAB = "    ";
const STRONG = style({ bold: true, underline: true });

const LOOKS: Readonly<Partial<Record<Colour, keyof typeof THEME>>> = {
  keyword: "accent",
  string: "good",
  number: "warn",
  comment: "dim",
};

let syntax: typeof import("../../screen/syntax.ts") | undefined;
let loading: Promise<void> | undefined;
const kept = new Map<string, readonly Stretch[]>();

export function putCode(grid: Grid, { x, y, width }: Rect, text: string, options: CodeOptions): void {
  const { look, marks = [] } = options;
  const stretches = stretchesOf(text, options);
  const cuts = [0, ...marks.flat(), ...stretches.flatMap(({ start, end }) => [start, end]), text.length];
  let column = x;
  let from = 0;
  for (const to of cuts.toSorted((a, b) => a - b)) {
    if (to === from) continue;
    const at = from;
    const colour = stretches.find(({ start, end }) => at >= start && at < end)?.colour;
    const isMarked = marks.some(([start, end]) => at >= start && at < end);
    const part = text.slice(from, to).replaceAll("\t", TAB);
    column = grid.put(column, y, part, lookOf(look, colour, isMarked), x + width - column);
    from = to;
  }
}

function lookOf(look: Style, colour: Colour | undefined, isMarked: boolean): Style {
  const own = LOOKS[colour ?? "title"];
  const fg = own === undefined ? look.fg : (look.fg & ~COLOR_BITS) | (THEME[own].fg & COLOR_BITS);
  return { fg: (fg | (isMarked ? STRONG.fg : 0)) >>> 0, bg: look.bg };
}

function stretchesOf(text: string, { language, loaded }: CodeOptions): readonly Stretch[] {
  if (language === "" || text.length > MAX_CHARACTERS) return [];
  if (syntax === undefined) {
    const keep = (module: NonNullable<typeof syntax>): void => {
      syntax = module;
      loaded();
    };
    // Without it code is plain.
    loading ??= import("../../screen/syntax.ts").then(keep, () => undefined);
    return [];
  }
  const key = `${language}\n${text}`;
  const before = kept.get(key);
  if (before !== undefined) return before;
  const found = syntax.stretchesOf(text, language) ?? [];
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, found);
  return found;
}
