/** Draws a pane's screen; returns the cursor. */
import type { Pane, PaneEnd } from "../panes/pane.ts";
import { drawPlaceholder } from "../panes/placeholder.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { THEME } from "../theme.ts";
import type { Caret } from "../view.ts";

const MIDDLE_DOT = 0xb7;

export function drawPane(grid: Grid, pane: Pane, content: Rect): Caret | undefined {
  if (!pane.ready) {
    drawPlaceholder(grid, pane, content);
    return undefined;
  }
  const { screen } = pane;
  // Another viewer controls the size: excess is cut, unused cells are marked.
  if (screen.cols < content.width || screen.rows < content.height) grid.cover(content, THEME.faint, MIDDLE_DOT);
  const cutRows = Math.max(0, Math.min(screen.rows, screen.cursor.y + 1) - content.height);
  grid.draw(screen.picture(), content, cutRows);
  const { x, y, visible, shape } = screen.cursor;
  const isInside = x < content.width && y - cutRows >= 0 && y - cutRows < content.height;
  if (!visible || !isInside || pane.end !== undefined) return undefined;
  return { x: content.x + x, y: content.y + y - cutRows, shape };
}

export function endWords(end: PaneEnd): string {
  if (end.how === "exited") return end.exitCode === 0 ? "ended" : `exited (${end.exitCode})`;
  return end.reason === "killed" ? "killed" : end.reason === "ended" ? "ended" : "connection lost";
}
