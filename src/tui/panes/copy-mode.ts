/** Copy mode of a pane: scroll, search and copy by keys and mouse. The program keeps running. */
import type { KeyMode } from "../default-keys.ts";
import type { MouseEvent } from "../input/input-event.ts";
import { nameOf, type Key } from "../input/key.ts";
import { Grid, type Rect } from "../render/grid.ts";
import { fit, widthOf } from "../render/text-width.ts";
import { THEME } from "../theme.ts";
import type { Caret, Stage } from "../view.ts";
import { LineEditor } from "../views/line-editor.ts";
import { FrozenScreen, type Found, type Place } from "./frozen-screen.ts";
import type { Pane } from "./pane.ts";

/** Lines fetched first; scrolling further or searching fetches more. */
const FIRST_LINES = 2000;
const ALL_LINES = 100_000;

const MODE: KeyMode = "copy";
const WHEEL_ROWS = 3;

export class CopyMode {
  private readonly stage: Stage;
  private readonly pane: Pane;
  private readonly leave: () => void;
  private screen: FrozenScreen | undefined;
  private waiting: ((screen: FrozenScreen) => void)[] = [];
  private hasAll = false;
  private asking = false;
  private top = 0;
  private cursor: Place = { row: 0, column: 0 };
  private anchor: Place | undefined;
  private byLine = false;
  private dragging = false;
  private prompt: { line: LineEditor; direction: 1 | -1 } | undefined;
  private found: Found[] = [];
  private foundAt = -1;
  private wanted = "";
  /** The position where the search began: each typed letter searches from there, not from the last match. */
  private origin: Place | undefined;
  private direction: 1 | -1 = -1;
  private height: number;
  private over = false;

  constructor(stage: Stage, pane: Pane, leave: () => void) {
    this.stage = stage;
    this.pane = pane;
    this.leave = leave;
    // The height until the first frame: input refers to the screen that is still visible.
    this.height = pane.screen.rows;
    void this.fetch(FIRST_LINES);
  }

  close(): void {
    this.over = true;
    this.screen?.dispose();
    this.screen = undefined;
  }

  /** Opens the search prompt. */
  search(direction: 1 | -1 = -1): void {
    this.prompt = { line: new LineEditor(), direction };
    this.origin = this.screen === undefined ? undefined : this.cursor;
    void this.fetch(ALL_LINES);
    this.stage.redraw();
  }

  scroll(rows: number): void {
    this.whenReady((screen) => {
      const bottom = Math.max(0, screen.rows - this.height);
      this.top = Math.max(0, Math.min(bottom, this.top + rows));
      this.cursor = {
        ...this.cursor,
        row: Math.max(this.top, Math.min(this.top + this.height - 1, this.cursor.row + rows)),
      };
      if (this.top === 0 && rows < 0) void this.fetch(ALL_LINES);
      // Back at the bottom without a selection, copy mode ends.
      if (rows > 0 && this.top >= bottom && this.anchor === undefined && this.prompt === undefined) this.leave();
      this.stage.redraw();
    });
  }

  draw(grid: Grid, area: Rect): Caret | undefined {
    this.height = area.height;
    const { screen } = this;
    if (screen === undefined) {
      grid.draw(this.pane.screen.picture(), area);
      return undefined;
    }
    this.top = Math.max(0, Math.min(this.top, screen.rows - area.height));
    this.showCursor(screen);
    const rows = new Grid(area.width, area.height);
    screen.draw(rows, this.top);
    this.mark(rows);
    grid.draw(rows, area);
    this.label(grid, area, screen);
    if (this.prompt !== undefined) return this.drawPrompt(grid, area, this.prompt);
    return { x: area.x + Math.min(this.cursor.column, area.width - 1), y: area.y + this.cursor.row - this.top };
  }

  key(pressed: Key): void {
    if (this.prompt !== undefined) return this.promptKey(pressed, this.prompt);
    const action = this.stage.keymap.action(MODE, nameOf(pressed));
    if (action === undefined) return;
    if (action === "cancel") {
      if (this.anchor === undefined) return this.leave();
      this.anchor = undefined;
    } else if (action === "search-down" || action === "search-up")
      return this.search(action === "search-down" ? 1 : -1);
    else this.whenReady((screen) => this.act(action, screen));
    this.stage.redraw();
  }

  paste(text: string): void {
    this.prompt?.line.insert(text);
    this.stage.redraw();
  }

  /** `x` and `y` are cells in the pane. */
  mouse(event: MouseEvent, x: number, y: number): void {
    if (event.action === "wheel-up") return this.scroll(-WHEEL_ROWS);
    if (event.action === "wheel-down") return this.scroll(WHEEL_ROWS);
    this.whenReady((screen) => this.drag(event, x, y, screen));
  }

  private drag(event: MouseEvent, x: number, y: number, screen: FrozenScreen): void {
    const clamped = Math.max(0, Math.min(this.height - 1, y));
    const place = {
      row: Math.min(screen.rows - 1, this.top + clamped),
      column: Math.max(0, Math.min(screen.cols - 1, x)),
    };
    if (event.action === "press" && event.button === 0) {
      this.cursor = place;
      this.anchor = undefined;
      this.dragging = true;
    } else if (event.action === "move" && event.button === 0) {
      if (!this.dragging) this.cursor = place;
      this.dragging = true;
      this.byLine = false;
      this.anchor ??= this.cursor;
      this.cursor = place;
      // Dragging at the edge scrolls.
      if (y < 0) this.scroll(-1);
      if (y >= this.height) this.top = Math.min(Math.max(0, screen.rows - this.height), this.top + 1);
    } else if (event.action === "release" && this.dragging) {
      this.dragging = false;
      if (this.anchor !== undefined) return this.copySelection(screen);
      if (this.top >= screen.rows - this.height) this.leave();
    }
    this.stage.redraw();
  }

  private act(action: string, screen: FrozenScreen): void {
    const { row, column } = this.cursor;
    const last = screen.rows - 1;
    const half = Math.max(1, Math.floor(this.height / 2));
    const rows: Readonly<Record<string, number>> = {
      up: -1, down: 1, "page-up": -this.height, "page-down": this.height, "half-page-up": -half, "half-page-down": half,
      top: -row, bottom: last - row,
    }; // prettier-ignore
    const step = rows[action];
    if (step !== undefined) {
      this.cursor = { row: Math.max(0, Math.min(last, row + step)), column };
      if (this.cursor.row === 0) void this.fetch(ALL_LINES);
      return this.follow(screen);
    }
    const text = screen.rowText(row);
    switch (action) {
      case "left":
        this.cursor = { row, column: Math.max(0, column - 1) };
        break;
      case "right":
        this.cursor = { row, column: Math.min(screen.cols - 1, column + 1) };
        break;
      case "line-start":
        this.cursor = { row, column: 0 };
        break;
      case "line-end":
        this.cursor = { row, column: Math.max(0, widthOf(text) - 1) };
        break;
      case "next-word":
        this.cursor = { row, column: nextWord(text, column) };
        break;
      case "previous-word":
        this.cursor = { row, column: previousWord(text, column) };
        break;
      case "select":
      case "select-lines":
        this.byLine = action === "select-lines";
        this.anchor = this.anchor === undefined ? this.cursor : undefined;
        break;
      case "copy":
        this.copySelection(screen);
        break;
      case "next-match":
        this.jump(this.direction, screen);
        break;
      case "previous-match":
        this.jump(this.direction === 1 ? -1 : 1, screen);
        break;
      default:
        break;
    }
    this.follow(screen);
  }

  private copySelection(screen: FrozenScreen): void {
    const { from, to } = this.selection(screen) ?? { from: this.cursor, to: this.cursor };
    const text = this.anchor === undefined ? "" : screen.text(from, to);
    this.leave();
    if (text !== "") this.stage.copy(text);
  }

  private selection(screen: FrozenScreen): Found | undefined {
    if (this.anchor === undefined) return undefined;
    const [from, to] = isBefore(this.anchor, this.cursor) ? [this.anchor, this.cursor] : [this.cursor, this.anchor];
    if (!this.byLine) return { from, to };
    return { from: { row: from.row, column: 0 }, to: { row: to.row, column: screen.cols - 1 } };
  }

  private mark(rows: Grid): void {
    const tint = ({ from, to }: Found, look: typeof THEME.match): void => {
      for (let row = Math.max(from.row, this.top); row <= Math.min(to.row, this.top + rows.height - 1); row++) {
        const x = row === from.row ? from.column : 0;
        const end = row === to.row ? to.column + 1 : rows.width;
        rows.tint({ x, y: row - this.top, width: end - x, height: 1 }, look);
      }
    };
    this.found.forEach((place, at) => {
      if (place.to.row >= this.top && place.from.row < this.top + rows.height)
        tint(place, at === this.foundAt ? THEME.matchNow : THEME.match);
    });
    const selected = this.screen === undefined ? undefined : this.selection(this.screen);
    if (selected !== undefined) tint(selected, THEME.selection);
  }

  private label(grid: Grid, area: Rect, screen: FrozenScreen): void {
    const above = Math.max(0, screen.rows - this.height - this.top);
    const matches = this.wanted === "" ? "" : `${this.found.length === 0 ? 0 : this.foundAt + 1}/${this.found.length} `;
    const text = fit(` ${matches}↑${above} of ${Math.max(0, screen.rows - this.height)} `, area.width);
    grid.put(area.x + area.width - widthOf(text), area.y, text, THEME.chipWarn);
  }

  private drawPrompt(grid: Grid, area: Rect, { line, direction }: { line: LineEditor; direction: 1 | -1 }): Caret {
    const y = area.y + area.height - 1;
    grid.cover({ x: area.x, y, width: area.width, height: 1 }, THEME.bar, 0x20);
    const x = grid.put(area.x, y, direction === 1 ? " search ↓ " : " search ↑ ", THEME.chip, area.width);
    return line.draw(grid, x + 1, y, Math.max(1, area.x + area.width - x - 2), THEME.bar);
  }

  private promptKey(pressed: Key, { line, direction }: { line: LineEditor; direction: 1 | -1 }): void {
    const action = this.stage.keymap.action("prompt", nameOf(pressed));
    if (action === "cancel") {
      this.prompt = undefined;
      if (this.wanted === "") return this.leave();
    } else if (action === "accept") {
      this.prompt = undefined;
      this.origin = undefined;
      this.direction = direction;
      if (line.text === "") return this.leave();
    } else if (action === "next-match") this.whenReady((screen) => this.jump(1, screen));
    else if (action === "previous-match") this.whenReady((screen) => this.jump(-1, screen));
    else if (line.key(pressed)) {
      this.direction = direction;
      this.whenReady((screen) => this.look(line.text, screen));
    }
    this.stage.redraw();
  }

  private look(text: string, screen: FrozenScreen): void {
    this.wanted = text;
    this.found = screen.find(text);
    this.foundAt = -1;
    this.cursor = this.origin ?? this.cursor;
    this.jump(this.direction, screen);
  }

  /** More lines were loaded; matches are kept. */
  private lookAgain(screen: FrozenScreen): void {
    if (this.prompt !== undefined) return this.look(this.wanted, screen);
    this.found = screen.find(this.wanted);
    this.foundAt = this.found.findIndex(({ from }) => !isBefore(from, this.cursor));
  }

  private jump(step: 1 | -1, screen: FrozenScreen): void {
    if (this.found.length === 0) return;
    if (this.foundAt === -1) {
      const before = this.found.findLastIndex(({ from }) => isBefore(from, this.cursor));
      this.foundAt = step === -1 ? (before === -1 ? this.found.length - 1 : before) : (before + 1) % this.found.length;
    } else this.foundAt = (this.foundAt + step + this.found.length) % this.found.length;
    this.cursor = this.found[this.foundAt]?.from ?? this.cursor;
    // Centred, to show the lines around the match.
    const isSeen = this.cursor.row >= this.top && this.cursor.row < this.top + this.height;
    if (!isSeen) this.top = this.cursor.row - Math.floor(this.height / 2);
    this.follow(screen);
    this.stage.redraw();
  }

  private follow(screen: FrozenScreen): void {
    const { row } = this.cursor;
    if (row < this.top) this.top = row;
    if (row >= this.top + this.height) this.top = row - this.height + 1;
    this.top = Math.max(0, Math.min(this.top, screen.rows - this.height));
  }

  /** After a pane became lower: its lines stay in place, except for a selection, whose end is the cursor and must not move. */
  private showCursor(screen: FrozenScreen): void {
    if (this.anchor !== undefined) return this.follow(screen);
    const { row, column } = this.cursor;
    this.cursor = { row: Math.max(this.top, Math.min(this.top + this.height - 1, row)), column };
  }

  private whenReady(act: (screen: FrozenScreen) => void): void {
    if (this.screen === undefined) this.waiting.push(act);
    else act(this.screen);
  }

  /** Keeps the visible lines in place while more are loaded above. */
  private async fetch(lines: number): Promise<void> {
    if (this.hasAll || this.asking || this.over) return;
    this.asking = true;
    const answer = await this.pane.history(lines);
    this.asking = false;
    if (this.over) return;
    const before = this.screen;
    const screen = new FrozenScreen(answer);
    this.hasAll = lines === ALL_LINES || answer.state.historyLines <= lines;
    this.screen = screen;
    if (before === undefined) {
      this.cursor = screen.cursor;
      this.origin = this.prompt === undefined ? undefined : this.cursor;
      this.top = Math.max(0, screen.rows - this.height);
    } else {
      const added = screen.rows - before.rows;
      before.dispose();
      this.top += added;
      this.cursor = { ...this.cursor, row: this.cursor.row + added };
      if (this.anchor !== undefined) this.anchor = { ...this.anchor, row: this.anchor.row + added };
      if (this.origin !== undefined) this.origin = { ...this.origin, row: this.origin.row + added };
      if (this.wanted !== "") this.lookAgain(screen);
    }
    for (const act of this.waiting.splice(0)) act(screen);
    // All lines were requested while the first ones were loading.
    if (this.prompt !== undefined && !this.hasAll) void this.fetch(ALL_LINES);
    this.stage.redraw();
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.row < b.row || (a.row === b.row && a.column < b.column);
}

function nextWord(text: string, column: number): number {
  const rest = /\S*\s+/.exec(text.slice(column));
  return rest === null ? Math.max(0, text.length - 1) : column + rest[0].length;
}

function previousWord(text: string, column: number): number {
  const before = /\S+\s*$/.exec(text.slice(0, column));
  return before === null ? 0 : before.index;
}
