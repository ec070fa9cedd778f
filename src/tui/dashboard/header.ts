/** The first line of the list: sessions by state, and the active filters. */
import { STATES } from "../../core/state.ts";
import type { Row } from "../data/row.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { widthOf } from "../render/text-width.ts";
import { statusLook, THEME } from "../theme.ts";

export interface HeaderFacts {
  /** The rows to count. */
  counts: readonly Row[];
  past: number | undefined;
  sort: string;
  filter: readonly string[];
  found: number;
  selected: number;
}

export function drawHeader(grid: Grid, { x, y, width }: Rect, facts: HeaderFacts): void {
  grid.cover({ x, y, width, height: 1 }, THEME.bar, 0x20);
  let at = grid.put(x, y, " amux ", THEME.chip) + 1;
  for (const state of STATES) {
    const count = facts.counts.filter(({ status }) => status === state).length;
    if (count === 0) continue;
    const { icon, look } = statusLook(state);
    const text = `${count} ${state}`;
    if (at + widthOf(text) + 4 > x + width) break;
    at = grid.put(at, y, icon, { fg: look.fg, bg: THEME.bar.bg });
    at = grid.put(at + 1, y, text, THEME.bar) + 2;
  }
  const past = facts.past === undefined ? "loading history …" : `${facts.past} past`;
  const right = [
    ...(facts.selected === 0 ? [] : [`${facts.selected} selected`]),
    ...(facts.filter.length === 0 ? [] : [`${facts.found} of ${facts.filter.join(", ")}`]),
    past,
    `by ${facts.sort}`,
  ].join(" · ");
  const from = x + width - widthOf(right) - 1;
  if (from > at) grid.put(from, y, right, facts.filter.length === 0 ? THEME.bar : THEME.barWarn);
}
