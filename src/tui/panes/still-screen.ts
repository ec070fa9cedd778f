/** A screen that does not move: what bytes amount to once they are all shown. */
import type { Grid } from "../render/grid.ts";
import { PaneScreen } from "./pane-screen.ts";

/** Nobody is told of what a picture rings, asks or copies. */
export const SILENT = {
  onTitle: () => undefined,
  onBell: () => undefined,
  onNotification: () => undefined,
  onClipboard: () => undefined,
};

export function stillScreen(cols: number, rows: number, output: Buffer): Grid {
  const screen = new PaneScreen(cols, rows, SILENT);
  screen.feed(output);
  const picture = screen.picture();
  screen.dispose();
  return picture;
}
