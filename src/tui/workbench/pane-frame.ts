/** Draws title lines, separators and tabs of panes. */
import type { Grid, Rect } from "../render/grid.ts";
import { fit, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Placed } from "../layout/workspace.ts";

/** A single pane has no title line; each of several has one. */
export function contentOf(rect: Rect, hasTitle: boolean): Rect {
  return hasTitle ? { ...rect, y: rect.y + 1, height: Math.max(0, rect.height - 1) } : rect;
}

export interface PaneTitle {
  text: string;
  focused: boolean;
  /** After the title: the exit state, or the mode. */
  mark: string;
}

export function drawTitle(grid: Grid, { x, y, width }: Rect, { text, focused, mark }: PaneTitle): void {
  const line = focused ? THEME.accent : THEME.faint;
  grid.put(x, y, "─".repeat(width), line);
  const shown = fit(text, width - 4);
  if (width < 6 || shown === "") return;
  const end = grid.put(x + 1, y, ` ${shown} `, focused ? THEME.accentBold : THEME.dim);
  if (mark !== "") grid.put(end, y, fit(` ${mark} `, x + width - end - 1), THEME.chipWarn);
}

/** Draws separator columns, joined to the title lines they meet. */
export function drawSeparators(grid: Grid, { panes }: Placed, area: Rect, focus: Rect | undefined): void {
  const rects = [...panes.values()];
  const cells = new Set(
    rects
      .filter(({ x, width }) => x + width < area.x + area.width)
      .flatMap(({ x, y, width, height }) => Array.from({ length: height }, (_, row) => `${x + width} ${y + row}`)),
  );
  for (const cell of cells) {
    const [x = 0, y = 0] = cell.split(" ").map(Number);
    const left = rects.some((rect) => rect.x + rect.width === x && rect.y === y);
    const right = rects.some((rect) => rect.x === x + 1 && rect.y === y);
    const above = cells.has(`${x} ${y - 1}`);
    const isBeside =
      focus !== undefined &&
      y >= focus.y &&
      y < focus.y + focus.height &&
      (x === focus.x + focus.width || x === focus.x - 1);
    grid.put(x, y, joint(left, right, above), isBeside ? THEME.accent : THEME.faint);
  }
}

function joint(left: boolean, right: boolean, above: boolean): string {
  if (!left && !right) return "│";
  if (!above) return "┬";
  return left && right ? "┼" : left ? "┤" : "├";
}

type Tabs = NonNullable<Placed["tabs"]>;

const TAB_TITLE_WIDTH = 18;

export function drawTabs(grid: Grid, tabs: Tabs, titleOf: (pane: string) => string): void {
  const { area, active } = tabs;
  grid.put(area.x, area.y, "─".repeat(area.width), THEME.faint);
  placedTabs(tabs, titleOf).forEach(({ x, text }, at) => {
    grid.put(x, area.y, text, at === active ? THEME.chip : THEME.bar);
  });
}

/** The pane of the tab at this column. */
export function tabAt(tabs: Tabs, titleOf: (pane: string) => string, column: number): string | undefined {
  return placedTabs(tabs, titleOf).find(({ x, text }) => column >= x && column < x + widthOf(text))?.pane;
}

/** As many tabs as fit. */
function placedTabs(
  { area, panes }: Tabs,
  titleOf: (pane: string) => string,
): { pane: string; x: number; text: string }[] {
  const found: { pane: string; x: number; text: string }[] = [];
  let x = area.x + 1;
  for (const [at, pane] of panes.entries()) {
    const text = ` ${at + 1} ${fit(titleOf(pane), TAB_TITLE_WIDTH)} `;
    if (x + widthOf(text) > area.x + area.width) break;
    found.push({ pane, x, text });
    x += widthOf(text) + 1;
  }
  return found;
}
