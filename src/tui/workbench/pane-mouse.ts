/** The mouse over a pane: the program's where it asked for it, else it scrolls back, selects and pastes. */
import type { MouseEvent } from "../input/input-event.ts";
import { encodeKey, encodeMouse } from "../input/key-encoding.ts";
import { key } from "../input/key.ts";
import type { CopyMode } from "../panes/copy-mode.ts";
import type { Pane } from "../panes/pane.ts";

/** Arrow keys for one step of the wheel, where a program has the whole screen and no mouse. */
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

  /** `x` and `y` are places in the pane. */
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
    // The selection begins where the button went down.
    if (isDrag) this.parts.copyMode()?.mouse({ ...event, action: "press" }, this.pressed.x, this.pressed.y);
    if (isDrag || event.action === "wheel-up") this.parts.copyMode()?.mouse(event, x, y);
    else if (event.action === "press" && event.button === 1) this.parts.paste();
  }
}
