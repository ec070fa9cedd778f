/** Every session in one list, the most urgent first, with a preview of the selected one. */
import type { MouseEvent } from "../input/input-event.ts";
import { nameOf, type Key } from "../input/key.ts";
import { isRunning } from "../data/row-order.ts";
import type { Grid, Rect } from "../render/grid.ts";
import type { Caret, Stage, View } from "../view.ts";
import { tildePath } from "./figures.ts";
import { drawHeader, type HeaderFacts } from "./header.ts";
import { rowAction } from "./row-actions.ts";
import { RowList } from "./row-list.ts";
import { SidePanel } from "./side-panel.ts";

const WHEEL_ROWS = 3;

export class Dashboard implements View {
  private readonly stage: Stage;
  private readonly list: RowList;
  private readonly panel: SidePanel;

  constructor(stage: Stage) {
    this.stage = stage;
    this.list = new RowList(stage);
    this.panel = new SidePanel(stage);
  }

  /** Stops the preview while the list is hidden. */
  close(): void {
    this.panel.close();
  }

  /** Shows only sessions of a directory. */
  only(directory: string): void {
    this.list.only(directory);
  }

  draw(grid: Grid, area: Rect): Caret | undefined {
    this.list.update();
    drawHeader(grid, { ...area, height: 1 }, this.headerFacts());
    const { list, panel } = this.panel.split({ ...area, y: area.y + 1, height: area.height - 1 });
    const caret = this.list.draw(grid, list);
    if (panel === undefined) this.panel.close();
    return (panel === undefined ? undefined : this.panel.draw(grid, panel, this.list.row)) ?? caret;
  }

  key(pressed: Key): void {
    if (this.list.isTyping) this.list.key(pressed);
    else if (!this.panel.focused || !this.panel.key(pressed)) {
      const action = this.stage.keymap.action("dashboard", nameOf(pressed));
      // Keys can arrive faster than frames, so the filter is applied first.
      this.list.update();
      if (action !== undefined) this.act(action);
    }
    this.stage.redraw();
  }

  paste(text: string): void {
    this.list.paste(text);
    this.stage.redraw();
  }

  mouse(event: MouseEvent): void {
    const step = event.action === "wheel-up" ? -1 : event.action === "wheel-down" ? 1 : 0;
    const inList = this.list.contains(event.x, event.y);
    if (step !== 0) {
      if (inList) this.list.move(step);
      else this.panel.scroll(-WHEEL_ROWS * step);
    } else if (event.action === "press" && inList && this.list.click(event.y)) this.act("open");
    this.stage.redraw();
  }

  private act(action: string): void {
    const { stage, list } = this;
    if (action === "new-or-next-match") {
      if (list.filter.text === "") stage.act("new-session");
      else list.act("next-match");
    } else if (action === "clear" && list.markedCount > 0) list.clearMarks();
    else if (action === "clear") {
      list.act("clear-filters");
      this.panel.act("leave-panel");
    } else if (action === "refresh") {
      stage.board.refresh();
      stage.say("Refreshed.");
    } else if (list.act(action)) {
      if (action === "sort") stage.say(`Sorted by ${list.sort}.`);
    } else if (!this.panel.act(action) && !rowAction(stage, action, list)) stage.act(action);
  }

  private headerFacts(): HeaderFacts {
    const { stage, list } = this;
    const { filter } = list;
    return {
      counts: stage.board.rows().filter(isRunning),
      past: stage.board.pastCount(),
      sort: list.sort,
      filter: [
        filter.text === "" ? "" : `"${filter.text}"`,
        filter.status ?? "",
        filter.hideDone ? "not done" : "",
        filter.scope === "all" ? "" : filter.scope,
        filter.machine === "all" ? "" : filter.machine,
        filter.directory === undefined ? "" : tildePath(filter.directory, stage.services.env.home, 30),
      ].filter((part) => part !== ""),
      found: list.count,
      selected: list.markedCount,
    };
  }
}
