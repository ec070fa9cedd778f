/** The list of rows with selection and filter. */
import type { Key } from "../input/key.ts";
import { nameOf } from "../input/key.ts";
import {
  MACHINES,
  NO_FILTER,
  sectionOf,
  SCOPES,
  shownRows,
  SORTS,
  type Section,
  type RowFilter,
  type Sort,
} from "../data/row-order.ts";
import type { Row } from "../data/row.ts";
import type { Grid, Rect } from "../render/grid.ts";
import { widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage } from "../view.ts";
import { LineEditor } from "../views/line-editor.ts";
import { factsOf } from "./row-facts.ts";
import { columnWidths, drawHeadings, drawSubagents, drawRow, type ColumnWidths, type RowFacts } from "./row-line.ts";

/** A line of the list: a row, its line of sub-agents, or a heading. */
type Line = { row: Row; at: number; helpers: boolean } | { heading: string };

const ONLY: Readonly<Record<string, string>> = {
  "only-waiting": "waiting",
  "only-permission": "permission",
  "only-working": "working",
  "only-done": "done",
  "only-error": "error",
};

const DOUBLE_CLICK_MS = 400;
/** Lower lists have no headings. */
const HEADINGS_FROM_HEIGHT = 6;
/** Only the first rows determine column widths; more never fit on the screen. */
const MEASURED_ROWS = 300;

export class RowList {
  filter: RowFilter = NO_FILTER;
  sort: Sort = "priority";
  private readonly stage: Stage;
  private selected = 0;
  private selectedKey = "";
  /** Until the first key press the first row stays selected, even if rows are inserted before it. */
  private isTouched = false;
  private top = 0;
  private search: LineEditor | undefined;
  private shown: Row[] = [];
  private lines: Line[] = [];
  private widths: { of: readonly Row[]; width: number; columns: ColumnWidths } | undefined;
  /** Keys of the marked rows. */
  private readonly marks = new Set<string>();
  private made: { rows: readonly Row[]; filter: RowFilter; sort: Sort } | undefined;
  private area: Rect = { x: 0, y: 0, width: 0, height: 0 };
  private lastClick = { key: "", at: 0 };

  constructor(stage: Stage) {
    this.stage = stage;
  }

  get row(): Row | undefined {
    return this.shown[this.selected];
  }

  get count(): number {
    return this.shown.length;
  }

  /** The rows an action applies to: the visible marked ones, else the selected one. */
  get chosen(): Row[] {
    if (this.marks.size > 0) return this.shown.filter(({ key }) => this.marks.has(key));
    return this.row === undefined ? [] : [this.row];
  }

  get markedCount(): number {
    return this.marks.size;
  }

  get ended(): Row[] {
    return this.shown.filter((row) => sectionOf(row) === "ended");
  }

  clearMarks(): void {
    this.marks.clear();
  }

  get isTyping(): boolean {
    return this.search !== undefined;
  }

  get isFiltered(): boolean {
    return this.filter !== NO_FILTER;
  }

  /** Sorts only when something changed, because there may be thousands of rows. */
  update(): void {
    const rows = this.stage.board.rows();
    const { made } = this;
    if (made === undefined || made.rows !== rows || made.filter !== this.filter || made.sort !== this.sort) {
      this.made = { rows, filter: this.filter, sort: this.sort };
      this.shown = shownRows(rows, this.filter, this.sort);
      if (this.marks.size > 0) this.dropMarks(rows);
      this.lines = linesOf(this.shown);
      const at = this.isTouched ? this.shown.findIndex(({ key }) => key === this.selectedKey) : 0;
      if (at !== -1) this.selected = at;
    }
    this.selected = Math.max(0, Math.min(this.selected, this.shown.length - 1));
    this.selectedKey = this.row?.key ?? "";
  }

  /** False if the action is not one of the list. */
  act(action: string): boolean {
    this.isTouched = true;
    const { filter } = this;
    const page = Math.max(1, this.area.height - 2);
    const steps: Readonly<Record<string, number>> = {
      up: -1,
      down: 1,
      "page-up": -page,
      "page-down": page,
      first: -1e9,
      last: 1e9,
    };
    const step = steps[action];
    const status = ONLY[action];
    if (step !== undefined) this.move(step, Math.abs(step) === 1);
    else if (status !== undefined) {
      const { status: now, ...rest } = filter;
      this.filter = now === status ? rest : { ...rest, status };
      if (this.filter.status === "error") this.lookForErrors();
    } else if (action === "mark") this.mark();
    else if (action === "filter") this.search = new LineEditor(filter.text);
    else if (action === "next-match") this.move(1, true);
    else if (action === "previous-match") this.move(-1, true);
    else if (action === "sort") this.sort = after(SORTS, this.sort);
    else if (action === "hide-done") this.filter = { ...filter, hideDone: !filter.hideDone };
    else if (action === "toggle-past") this.filter = { ...filter, scope: after(SCOPES, filter.scope) };
    else if (action === "machines") this.filter = { ...filter, machine: after(MACHINES, filter.machine) };
    else if (action === "clear-filters") this.filter = NO_FILTER;
    else return false;
    return true;
  }

  private lookForErrors(): void {
    const { stage } = this;
    stage.say("Reading past sessions for errors …");
    stage.attempt(stage.board.lookForErrors().then(() => stage.say("Past sessions were read for errors.")));
  }

  /** Removes marks of rows that are gone. */
  private dropMarks(rows: readonly Row[]): void {
    const keys = new Set(rows.map(({ key }) => key));
    for (const key of this.marks) if (!keys.has(key)) this.marks.delete(key);
  }

  private mark(): void {
    const { row } = this;
    if (row === undefined) return;
    if (!this.marks.delete(row.key)) this.marks.add(row.key);
    this.move(1);
  }

  /** Shows only sessions of this directory. */
  only(directory: string): void {
    this.filter = { ...NO_FILTER, directory };
  }

  move(step: number, wraps = false): void {
    this.isTouched = true;
    const last = this.shown.length - 1;
    const next = this.selected + step;
    this.selected = wraps && next < 0 ? last : wraps && next > last ? 0 : Math.max(0, Math.min(last, next));
    this.selectedKey = this.row?.key ?? "";
  }

  /** Handles a key while the filter is edited. */
  key(pressed: Key): void {
    const { search } = this;
    if (search === undefined) return;
    const action = this.stage.keymap.action("prompt", nameOf(pressed));
    if (action === "accept" || action === "cancel") {
      this.search = undefined;
      if (action === "cancel") this.filter = { ...this.filter, text: "" };
    } else if (action === "up" || action === "down") this.move(action === "up" ? -1 : 1, true);
    else if (search.key(pressed)) this.filter = { ...this.filter, text: search.text };
  }

  paste(text: string): void {
    const { search } = this;
    if (search === undefined) return;
    search.insert(text);
    this.filter = { ...this.filter, text: search.text };
  }

  contains(x: number, y: number): boolean {
    const { area } = this;
    return x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
  }

  /** True for a double click. */
  click(y: number): boolean {
    const line = this.lines[this.top + y - this.area.y];
    if (line === undefined || "heading" in line) return false;
    this.isTouched = true;
    this.selected = line.at;
    this.selectedKey = line.row.key;
    const now = performance.now();
    const isDouble = this.lastClick.key === line.row.key && now - this.lastClick.at < DOUBLE_CLICK_MS;
    this.lastClick = { key: line.row.key, at: now };
    return isDouble;
  }

  draw(grid: Grid, area: Rect): Caret | undefined {
    const { lines, search } = this;
    const above = (search === undefined ? 0 : 1) + (area.height >= HEADINGS_FROM_HEIGHT && lines.length > 0 ? 1 : 0);
    this.area = { ...area, y: area.y + above, height: area.height - above };
    const widths = this.widthsFor(area.width);
    if (area.height >= HEADINGS_FROM_HEIGHT && lines.length > 0)
      drawHeadings(grid, { ...area, y: this.area.y - 1, height: 1 }, widths);
    const { x, y, width, height } = this.area;
    const selectedLine = lines.findIndex((line) => "row" in line && !line.helpers && line.at === this.selected);
    this.top = Math.max(0, Math.min(this.top, lines.length - height));
    if (selectedLine < this.top) this.top = Math.max(0, selectedLine - 1);
    if (selectedLine >= this.top + height) this.top = selectedLine - height + 1;
    lines.slice(this.top, this.top + height).forEach((line, at) => {
      const place = { x, y: y + at, width, height: 1 };
      if ("heading" in line) drawHeading(grid, place, line.heading);
      else if (line.helpers) drawSubagents(grid, place, line.row);
      else drawRow(grid, place, line.row, this.factsAt(line.row, line.at), widths);
    });
    if (lines.length === 0) this.drawNothing(grid);
    if (search === undefined) return undefined;
    const end = grid.put(area.x + 1, area.y, "/", THEME.accentBold);
    return search.draw(grid, end + 1, area.y, area.width - 4, THEME.text);
  }

  private factsAt(row: Row, at: number): RowFacts {
    return factsOf(this.stage, row, at === this.selected, this.marks.has(row.key));
  }

  private widthsFor(width: number): ColumnWidths {
    const { shown, widths } = this;
    if (widths?.of === shown && widths.width === width) return widths.columns;
    const rows = shown.slice(0, MEASURED_ROWS).map((row) => [row, factsOf(this.stage, row)] as const);
    this.widths = { of: shown, width, columns: columnWidths(rows, width) };
    return this.widths.columns;
  }

  private drawNothing(grid: Grid): void {
    const { x, y, width, height } = this.area;
    const { keymap, board } = this.stage;
    const hint = (action: string, does: string): string => `${keymap.keyOf("dashboard", action).padEnd(3)} ${does}`;
    const lines = this.isFiltered
      ? [
          "Nothing matches.",
          "",
          hint("clear-filters", "clears the filters"),
          hint("search-history", "searches the text of all sessions"),
        ]
      : [
          board.pastCount() === undefined ? "No sessions running. Loading history …" : "No sessions yet.",
          "",
          hint("new-or-next-match", "starts one: an agent, a shell, any command"),
          hint("search-history", "searches all sessions"),
          hint("help", "shows all keys"),
          hint("quit", "quits"),
        ];
    lines.slice(0, height - 1).forEach((text, at) => {
      grid.put(x + 2, y + 1 + at, text, at === 0 ? THEME.bold : THEME.dim, width - 4);
    });
  }
}

function after<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] as T;
}

const HEADINGS: Readonly<Record<Section, string>> = { running: "", ended: "ended", past: "history" };

function linesOf(rows: readonly Row[]): Line[] {
  const lines: Line[] = [];
  let heading = "";
  rows.forEach((row, at) => {
    const own = HEADINGS[sectionOf(row)];
    if (own !== heading) lines.push({ heading: own });
    heading = own;
    lines.push({ row, at, helpers: false });
    if (row.others.length + row.team.length > 0) lines.push({ row, at, helpers: true });
  });
  return lines;
}

function drawHeading(grid: Grid, { x, y, width }: Rect, text: string): void {
  grid.put(x + 1, y, `${text} ${"─".repeat(Math.max(0, width - widthOf(text) - 3))}`, THEME.faint, width - 2);
}
