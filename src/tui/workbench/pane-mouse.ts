/** Mouse events in a pane: sent to the program if it requested them, else for scrolling, selecting and pasting. */
import type { MouseEvent } from "../input/input-event.ts";
import { encodeKey, encodeMouse } from "../input/key-encoding.ts";
import { key } from "../input/key.ts";
import type { CopyMode } from "../panes/copy-mode.ts";
import type { Pane } from "../panes/pane.ts";

/** Arrow keys per wheel step, for a full-screen program without mouse support. */
const WHEEL_KEYS = 3;

export interface PaneMouseParts {
  copyMode(): CopyMode | undefined;
  paste(): void;
}

export class PaneMouse {
  private readonly parts: PaneMouseParts;
  private pressed = { x: 0, y: 0 };

  constructor(parts: PaneMouseParts) {
    this.parts = parts;
  }

  /** `x` and `y` are cells in the pane. */
  event(pane: Pane, event: MouseEvent, x: number, y: number): void {
    const { screen } = pane;
    const isInside = x >= 0 && y >= 0;
    if (screen.mouse.tracking !== 0 && !event.shift) {
      if (isInside) pane.write(encodeMouse(event, x, y, screen.mouse));
      return;
    }
    const isWheel = event.action === "wheel-up" || event.action === "wheel-down";
    if (isWheel && screen.alternate) {
      const arrow = encodeKey(key(event.action === "wheel-up" ? "up" : "down"), screen.keyboard);
      return pane.write(arrow.repeat(WHEEL_KEYS));
    }
    if (event.action === "press" && event.button === 0) this.pressed = { x, y };
    const isDrag = event.action === "move" && event.button === 0;
    // The selection begins where the button was pressed.
    if (isDrag) this.parts.copyMode()?.mouse({ ...event, action: "press" }, this.pressed.x, this.pressed.y);
    if (isDrag || event.action === "wheel-up") this.parts.copyMode()?.mouse(event, x, y);
    else if (event.action === "press" && event.button === 1) this.parts.paste();
  }
}
