/** Beside or below the list: a preview of the selected session, or the tasks of its project. */
import { nameOf, type Key } from "../input/key.ts";
import type { Row } from "../data/row.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage } from "../view.ts";
import { price, tildePath } from "./figures.ts";
import { Preview } from "./preview.ts";
import { TaskPanel } from "./task-panel.ts";

/** The minimum width for both side by side. */
const SIDE_FROM_WIDTH = 150;
const MIN_WIDTH = 30;
const MIN_WIDTH_BESIDE = 60;
const MIN_HEIGHT_BELOW = 12;
const MIN_LIST_HEIGHT = 4;
const STEP = 0.05;
const MIN_SHARE = 0.2;
const MAX_SHARE = 0.8;

type What = "preview" | "tasks";

export class SidePanel {
  private readonly stage: Stage;
  private readonly preview: Preview;
  private readonly tasks: TaskPanel;
  /** The user's choice; each frame checks whether it fits. */
  private wanted: What | undefined = "preview";
  private share = 0.5;
  private side: "auto" | "side" | "below" = "auto";
  private wrap = true;
  private hasKeys = false;

  constructor(stage: Stage) {
    this.stage = stage;
    this.preview = new Preview(stage);
    this.tasks = new TaskPanel(stage);
  }

  /** The panel has the focus. */
  get focused(): boolean {
    return this.hasKeys && this.wanted !== undefined;
  }

  close(): void {
    this.preview.close();
    this.tasks.close();
  }

  act(action: string): boolean {
    switch (action) {
      case "toggle-preview":
        this.toggle("preview");
        return true;
      case "tasks":
        this.toggle("tasks");
        return true;
      case "panel-smaller":
      case "panel-larger": {
        const share = this.share + (action === "panel-larger" ? STEP : -STEP);
        this.share = Math.min(MAX_SHARE, Math.max(MIN_SHARE, share));
        return true;
      }
      case "panel-side":
        this.side = this.side === "side" ? "below" : "side";
        return true;
      case "preview-wrap":
        this.wrap = !this.wrap;
        return true;
      case "focus-panel":
        this.wanted ??= "preview";
        this.hasKeys = !this.hasKeys;
        return true;
      case "leave-panel":
        this.hasKeys = false;
        return true;
      default:
        return false;
    }
  }

  /** False if the key is not bound here. */
  key(pressed: Key): boolean {
    if (this.wanted === "tasks") {
      if (this.tasks.isTyping) return this.tasks.typed(pressed);
      const action = this.stage.keymap.action("tasks", nameOf(pressed));
      return action !== undefined && (this.act(action) || this.tasks.act(action));
    }
    const action = this.stage.keymap.action("preview", nameOf(pressed));
    return action !== undefined && (this.act(action) || this.preview.act(action));
  }

  scroll(rows: number): void {
    if (this.wanted === "preview") this.preview.scroll(rows);
    if (this.wanted === "tasks") this.tasks.move(-Math.sign(rows));
  }

  /** The areas of the list and of this panel. */
  split(area: Rect): { list: Rect; panel: Rect | undefined } {
    const { x, y, width, height } = area;
    const beside = this.side === "side" || (this.side === "auto" && width >= SIDE_FROM_WIDTH);
    const hasRoom = width >= MIN_WIDTH && (beside ? width >= MIN_WIDTH_BESIDE : height >= MIN_HEIGHT_BELOW);
    if (this.wanted === undefined || !hasRoom) return { list: area, panel: undefined };
    if (beside) {
      const list = Math.floor(width * (1 - this.share));
      return { list: { ...area, width: list }, panel: { x: x + list, y, width: width - list, height } };
    }
    const list = Math.max(MIN_LIST_HEIGHT, Math.floor(height * (1 - this.share)));
    return { list: { ...area, height: list }, panel: { x, y: y + list, width, height: height - list } };
  }

  draw(grid: Grid, area: Rect, row: Row | undefined): Caret | undefined {
    const look = this.hasKeys ? THEME.accent : THEME.faint;
    const beside = area.x > 0;
    if (beside) for (let y = area.y; y < area.y + area.height; y++) grid.put(area.x, y, "│", look);
    const inner = beside ? { ...area, x: area.x + 1, width: area.width - 1 } : area;
    grid.put(inner.x, inner.y, "─".repeat(inner.width), look);
    this.drawTitle(grid, inner, row);
    const content = { x: inner.x + 1, y: inner.y + 1, width: inner.width - 1, height: inner.height - 1 };
    if (this.wanted === "tasks") {
      this.preview.close();
      this.tasks.show(row);
      return this.tasks.draw(grid, content, this.hasKeys);
    }
    this.tasks.close();
    this.preview.show(row);
    this.preview.draw(grid, content, this.wrap);
    return undefined;
  }

  private drawTitle(grid: Grid, { x, y, width }: Rect, row: Row | undefined): void {
    if (row === undefined) return;
    const where = tildePath(row.cwd, this.stage.services.env.home);
    const name = this.wanted === "tasks" ? this.tasks.title : row.name;
    const look = this.hasKeys ? THEME.accentBold : THEME.bold;
    const end = grid.put(x + 1, y, ` ${fit(name, Math.floor(width * 0.6))} `, look, width - 2);
    // Narrow lists have no column for it.
    const cost = row.cost === undefined ? "" : `· ${price(row.cost)} `;
    grid.put(end, y, fit(`${where} ${cost}`, x + width - end - 1), THEME.dim);
  }

  private toggle(what: What): void {
    this.wanted = this.wanted === what ? undefined : what;
    this.hasKeys = false;
  }
}
