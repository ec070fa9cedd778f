/** Every session in one list, the most urgent first, with a look inside the one that is chosen. */
import type { MouseEvent } from "../input/input-parser.ts";
import { nameOf, type Key } from "../input/key.ts";
import { isRunning, SCOPES, shownRows, SORTS, type RowFilter, type Sort } from "../data/row-order.ts";
import type { Row } from "../data/row.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { fit, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage, View } from "../view.ts";
import { LineEditor } from "../views/line-editor.ts";
import { homely } from "./figures.ts";
import { drawHeader, type HeaderFacts } from "./header.ts";
import { Preview } from "./preview.ts";
import { rowAction } from "./row-actions.ts";
import { drawHelpers, drawRow, type RowFacts } from "./row-line.ts";

const NO_FILTER: RowFilter = { text: "", hideDone: false, scope: "all" };

/** Beside the list only where both can be read. */
const SIDE_FROM_WIDTH = 150;
const PREVIEW_STEP = 0.05;
const FILTERS: Readonly<Record<string, string>> = {
  "only-waiting": "waiting",
  "only-permission": "permission",
  "only-working": "working",
  "only-done": "done",
  "only-error": "error",
};

/** A list line: a row, the line of helpers under one, or a heading. */
type Line = { row: Row; at: number; helpers: boolean } | { heading: string };

export class Dashboard implements View {
  private readonly stage: Stage;
  private readonly preview: Preview;
  private filter: RowFilter = NO_FILTER;
  private sort: Sort = "priority";
  private selectedKey = "";
  private selected = 0;
  private top = 0;
  private search: LineEditor | undefined;
  private showsPreview = true;
  private previewShare = 0.5;
  private side: "auto" | "side" | "below" = "auto";
  private wrap = true;
  private inPreview = false;
  private shown: Row[] = [];
  private lines: Line[] = [];
  private made: { rows: readonly Row[]; filter: RowFilter; sort: Sort } | undefined;
  private list: Rect = { x: 0, y: 0, width: 0, height: 0 };
  private lastClick = { key: "", at: 0 };

  constructor(stage: Stage) {
    this.stage = stage;
    this.preview = new Preview(stage);
  }

  /** The list is not looked at: nothing is followed. */
  close(): void {
    this.preview.close();
  }

  get row(): Row | undefined {
    return this.shown[this.selected];
  }

  draw(grid: Grid, area: Rect): Caret | undefined {
    this.update();
    drawHeader(grid, { ...area, height: 1 }, this.headerFacts());
    const { list, preview } = this.areas({ ...area, y: area.y + 1, height: area.height - 1 });
    const caret = this.drawList(grid, list);
    if (preview === undefined) this.preview.close();
    else this.drawPreview(grid, preview);
    return caret;
  }

  key(pressed: Key): void {
    if (this.search !== undefined) this.searching(pressed, this.search);
    else if (!this.previewKey(pressed)) {
      const action = this.stage.keymap.action("dashboard", nameOf(pressed));
      // Keys can come faster than frames: what is chosen is what the filter says now.
      this.update();
      if (action !== undefined) this.act(action);
    }
    this.stage.redraw();
  }

  paste(text: string): void {
    this.search?.insert(text);
    if (this.search !== undefined) this.filter = { ...this.filter, text: this.search.text };
    this.stage.redraw();
  }

  mouse(event: MouseEvent): void {
    const inList =
      event.x >= this.list.x &&
      event.x < this.list.x + this.list.width &&
      event.y >= this.list.y &&
      event.y < this.list.y + this.list.height;
    const step = event.action === "wheel-up" ? -1 : event.action === "wheel-down" ? 1 : 0;
    if (step !== 0) {
      if (inList) this.move(step);
      else this.preview.scroll(-3 * step);
    } else if (event.action === "press" && inList) this.click(event.y - this.list.y);
    this.stage.redraw();
  }

  act(action: string): void {
    const { filter } = this;
    const page = Math.max(1, this.list.height - 2);
    const steps: Readonly<Record<string, number>> = {
      up: -1,
      down: 1,
      "page-up": -page,
      "page-down": page,
      first: -1e9,
      last: 1e9,
    };
    const step = steps[action];
    if (step !== undefined) return this.move(step, Math.abs(step) === 1);
    const status = FILTERS[action];
    if (status !== undefined) {
      const { status: now, ...rest } = filter;
      this.filter = now === status ? rest : { ...rest, status };
      return;
    }
    switch (action) {
      case "filter":
        this.search = new LineEditor(filter.text);
        return;
      case "new-or-next-match":
        return filter.text === "" ? this.stage.act("new-session") : this.move(1, true);
      case "previous-match":
        return this.move(-1, true);
      case "sort":
        this.sort = SORTS[(SORTS.indexOf(this.sort) + 1) % SORTS.length] as Sort;
        return this.stage.say(`Sorted by ${this.sort}.`);
      case "hide-done":
        this.filter = { ...filter, hideDone: !filter.hideDone };
        return;
      case "toggle-past":
        this.filter = { ...filter, scope: filter.scope === "live" ? "all" : "live" };
        return;
      case "scope":
        this.filter = {
          ...filter,
          scope: SCOPES[(SCOPES.indexOf(filter.scope) + 1) % SCOPES.length] as RowFilter["scope"],
        };
        return;
      case "clear-filters":
        this.filter = NO_FILTER;
        return;
      case "clear":
        this.filter = NO_FILTER;
        this.inPreview = false;
        return;
      case "toggle-preview":
        this.showsPreview = !this.showsPreview;
        return;
      case "preview-smaller":
      case "preview-larger":
        this.previewShare = Math.min(
          0.8,
          Math.max(0.2, this.previewShare + (action === "preview-larger" ? PREVIEW_STEP : -PREVIEW_STEP)),
        );
        return;
      case "preview-side":
        this.side = this.side === "side" ? "below" : "side";
        return;
      case "preview-wrap":
        this.wrap = !this.wrap;
        return;
      case "focus-preview":
        this.showsPreview = true;
        this.inPreview = !this.inPreview;
        return;
      case "refresh":
        this.stage.board.refresh();
        return this.stage.say("Looked again.");
      default:
        if (!rowAction(this.stage, action, this.row)) this.stage.act(action);
    }
  }

  /** Thousands of rows are sorted when something has changed, not for every frame. */
  private update(): void {
    const rows = this.stage.board.rows();
    const { made } = this;
    if (made === undefined || made.rows !== rows || made.filter !== this.filter || made.sort !== this.sort) {
      this.made = { rows, filter: this.filter, sort: this.sort };
      this.shown = shownRows(rows, this.filter, this.sort);
      this.lines = linesOf(this.shown);
      const at = this.shown.findIndex(({ key }) => key === this.selectedKey);
      if (at !== -1) this.selected = at;
    }
    this.selected = Math.max(0, Math.min(this.selected, this.shown.length - 1));
    this.selectedKey = this.row?.key ?? "";
  }

  private headerFacts(): HeaderFacts {
    const { stage, filter } = this;
    const rows = stage.board.rows().filter(isRunning);
    return {
      counts: rows,
      attention: stage.board.attention().length,
      past: stage.board.pastCount(),
      sort: this.sort,
      filter: [
        filter.text === "" ? "" : `"${filter.text}"`,
        filter.status ?? "",
        filter.hideDone ? "not done" : "",
        filter.scope === "all" ? "" : filter.scope,
      ].filter((part) => part !== ""),
      found: this.shown.length,
    };
  }

  private areas(area: Rect): { list: Rect; preview: Rect | undefined } {
    const { x, y, width, height } = area;
    const beside = this.side === "side" || (this.side === "auto" && width >= SIDE_FROM_WIDTH);
    const share = this.previewShare;
    if (!this.showsPreview || width < 30 || (beside ? width < 60 : height < 12))
      return { list: area, preview: undefined };
    if (beside) {
      const list = Math.floor(width * (1 - share));
      return { list: { ...area, width: list }, preview: { x: x + list, y, width: width - list, height } };
    }
    const list = Math.max(4, Math.floor(height * (1 - share)));
    return { list: { ...area, height: list }, preview: { x, y: y + list, width, height: height - list } };
  }

  private drawList(grid: Grid, area: Rect): Caret | undefined {
    this.list = this.search === undefined ? area : { ...area, y: area.y + 1, height: area.height - 1 };
    const { list, lines } = this;
    const selectedLine = lines.findIndex((line) => "row" in line && !line.helpers && line.at === this.selected);
    this.top = Math.max(0, Math.min(this.top, lines.length - list.height));
    if (selectedLine < this.top) this.top = Math.max(0, selectedLine - 1);
    if (selectedLine >= this.top + list.height) this.top = selectedLine - list.height + 1;
    for (let at = 0; at < list.height; at++) {
      const line = lines[this.top + at];
      const place = { x: list.x, y: list.y + at, width: list.width, height: 1 };
      if (line === undefined) break;
      if ("heading" in line) drawHeading(grid, place, line.heading);
      else if (line.helpers) drawHelpers(grid, place, line.row);
      else drawRow(grid, place, line.row, this.facts(line.row, line.at === this.selected));
    }
    if (lines.length === 0) this.drawNothing(grid, list);
    if (this.search === undefined) return undefined;
    const x = grid.put(area.x + 1, area.y, "/", THEME.accentBold);
    return this.search.draw(grid, x + 1, area.y, area.width - 4, THEME.text);
  }

  private drawNothing(grid: Grid, { x, y, width }: Rect): void {
    const isFiltered = this.filter !== NO_FILTER;
    const text = isFiltered ? "Nothing matches. 0 clears the filters." : "No sessions yet. n starts one.";
    grid.put(x + 2, y + 1, text, THEME.dim, width - 4);
  }

  private drawPreview(grid: Grid, area: Rect): void {
    const { row } = this;
    this.preview.show(row);
    const look = this.inPreview ? THEME.accent : THEME.faint;
    const beside = area.x > 0;
    if (beside) for (let y = area.y; y < area.y + area.height; y++) grid.put(area.x, y, "│", look);
    const inner = beside ? { ...area, x: area.x + 1, width: area.width - 1 } : area;
    grid.put(inner.x, inner.y, "─".repeat(inner.width), look);
    if (row === undefined) return;
    const where = homely(row.cwd, this.stage.services.env.home);
    const title = ` ${fit(row.name, Math.floor(inner.width * 0.6))} `;
    const end = grid.put(inner.x + 1, inner.y, title, this.inPreview ? THEME.accentBold : THEME.bold, inner.width - 2);
    grid.put(end, inner.y, fit(`${where} `, inner.x + inner.width - end - 1), THEME.dim);
    this.preview.draw(
      grid,
      { ...inner, x: inner.x + 1, y: inner.y + 1, width: inner.width - 1, height: inner.height - 1 },
      this.wrap,
    );
  }

  private facts(row: Row, selected: boolean): RowFacts {
    const { board, services } = this.stage;
    const rss = board.rssOf(row.pid);
    const known = row.kind === "past" ? undefined : board.gitOf(row.cwd);
    const git = known ?? row.git;
    return {
      now: Date.now(),
      home: services.env.home,
      selected,
      ...(rss === undefined ? {} : { rssBytes: rss }),
      ...(git?.branch === undefined || git.branch === ""
        ? {}
        : {
            git: {
              branch: git.branch,
              dirty: git.dirty ?? false,
              ahead: git.ahead ?? 0,
              behind: git.behind ?? 0,
              ...(known?.prNumber === undefined
                ? row.git?.pr_num === undefined
                  ? {}
                  : { pr: row.git.pr_num }
                : { pr: known.prNumber }),
            },
          }),
    };
  }

  private move(step: number, wraps = false): void {
    const last = this.shown.length - 1;
    const next = this.selected + step;
    this.selected = wraps && next < 0 ? last : wraps && next > last ? 0 : Math.max(0, Math.min(last, next));
    this.selectedKey = this.row?.key ?? "";
  }

  private click(y: number): void {
    const line = this.lines[this.top + y];
    if (line === undefined || "heading" in line) return;
    this.selected = line.at;
    this.selectedKey = line.row.key;
    const isDouble = this.lastClick.key === line.row.key && performance.now() - this.lastClick.at < 400;
    this.lastClick = { key: line.row.key, at: performance.now() };
    if (isDouble) this.act("open");
  }

  private searching(pressed: Key, search: LineEditor): void {
    const name = nameOf(pressed);
    if (name === "enter" || name === "esc") {
      this.search = undefined;
      if (name === "esc") this.filter = { ...this.filter, text: "" };
    } else if (name === "up" || name === "down") this.move(name === "up" ? -1 : 1, true);
    else if (search.key(pressed)) this.filter = { ...this.filter, text: search.text };
  }

  private previewKey(pressed: Key): boolean {
    if (!this.inPreview) return false;
    const steps: Readonly<Record<string, number>> = {
      j: -1,
      down: -1,
      k: 1,
      up: 1,
      pageup: 10,
      pagedown: -10,
      g: 1e6,
      "shift+g": -1e9,
    };
    const name = nameOf(pressed);
    const step = steps[name];
    if (step !== undefined) this.preview.scroll(step);
    else if (name === "tab" || name === "esc") this.inPreview = false;
    return step !== undefined || name === "tab" || name === "esc";
  }
}

const HEADINGS: Readonly<Record<Row["kind"], string>> = {
  live: "",
  tmux: "",
  peer: "",
  dead: "ended",
  past: "past conversations",
};

function linesOf(rows: readonly Row[]): Line[] {
  const lines: Line[] = [];
  let heading = "";
  rows.forEach((row, at) => {
    if (HEADINGS[row.kind] !== heading) {
      heading = HEADINGS[row.kind];
      lines.push({ heading });
    }
    lines.push({ row, at, helpers: false });
    if (row.others.length + row.team.length > 0) lines.push({ row, at, helpers: true });
  });
  return lines;
}

function drawHeading(grid: Grid, { x, y, width }: Rect, text: string): void {
  grid.put(x + 1, y, `${text} ${"─".repeat(Math.max(0, width - widthOf(text) - 3))}`, THEME.faint, width - 2);
}
