/** The placeholder of a pane before its first screen: empty at first, then a message. */
import type { Grid, Rect } from "../render/grid.ts";
import { THEME } from "../theme.ts";
import type { Pane } from "./pane.ts";

export function drawPlaceholder(grid: Grid, pane: Pane, { x, y, width, height }: Rect): void {
  if (!pane.isLate || height <= 0) return;
  const row = y + Math.min(1, height - 1);
  grid.put(x + 1, row, "Waiting for the first screen: the session is busy or stopped.", THEME.dim, width - 2);
}
