/** The final screen that some output produces. */
import type { Grid } from "../render/grid.ts";
import { PaneScreen } from "./pane-screen.ts";

/** Ignores bells, queries and clipboard requests. */
export const SILENT = {
  onTitle: () => undefined,
  onBell: () => undefined,
  onNotification: () => undefined,
  onClipboard: () => undefined,
};

export function finalScreen(cols: number, rows: number, output: Buffer): Grid {
  const screen = new PaneScreen(cols, rows, SILENT);
  screen.feed(output);
  const picture = screen.picture();
  screen.dispose();
  return picture;
}
