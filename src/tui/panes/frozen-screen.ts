/** A snapshot of a terminal and its scrollback, for scrolling, searching and copying while the program runs. */
import type { Terminal } from "@xterm/headless";
import { createEmulator, type Emulator } from "../../screen/emulator.ts";
import { copyLine } from "../render/emulator-cells.ts";
import type { Grid } from "../render/grid.ts";
import type { HistoryAnswer } from "./pane.ts";

/** A line of the scrollback may wrap to several rows. */
const MAX_ROWS = 100_000;

export interface Place {
  /** Counted from the oldest row. */
  row: number;
  column: number;
}

export interface Found {
  from: Place;
  to: Place;
}

type BufferLine = NonNullable<ReturnType<Terminal["buffer"]["active"]["getLine"]>>;

export class FrozenScreen {
  private readonly emulator: Emulator;

  constructor({ state, lines }: HistoryAnswer) {
    this.emulator = createEmulator(state.cols, state.rows, MAX_ROWS);
    const { core } = this.emulator;
    const parse = (text: string): void => this.emulator.parse(Buffer.from(text));
    if (lines.length > 0) {
      parse(`${lines.join("\r\n")}\r\n`);
      // Scrolls them off the screen: as many rows as they still occupy.
      const { y } = core.buffers.active;
      parse(`\x1b[${state.rows};1H${"\n".repeat(y)}\x1b[H`);
    }
    parse(state.screen);
  }

  get cols(): number {
    return this.emulator.terminal.cols;
  }

  /** Rows of the screen. */
  get height(): number {
    return this.emulator.terminal.rows;
  }

  get rows(): number {
    return this.emulator.core.buffers.active.lines.length;
  }

  get cursor(): Place {
    const { x, y, ybase } = this.emulator.core.buffers.active;
    return { row: ybase + y, column: Math.min(x, this.cols - 1) };
  }

  /** Draws the rows from `top` on into the grid. */
  draw(grid: Grid, top: number): void {
    const { core } = this.emulator;
    for (let y = 0; y < grid.height; y++) copyLine(core, core.buffers.active.lines.get(top + y), grid, y);
  }

  /** The selected text: wrapped rows are joined, trailing spaces removed. */
  text(from: Place, to: Place): string {
    let text = "";
    for (let row = from.row; row <= to.row; row++) {
      const line = this.line(row);
      if (line === undefined) break;
      const begin = row === from.row ? from.column : 0;
      const end = row === to.row ? to.column + 1 : this.cols;
      const goesOn = row < to.row && this.line(row + 1)?.isWrapped === true;
      text += line.translateToString(!goesOn, begin, end);
      if (row < to.row && !goesOn) text += "\n";
    }
    return text;
  }

  rowText(row: number): string {
    return this.line(row)?.translateToString(true) ?? "";
  }

  /** All matches, oldest first. A lower-case text ignores case. */
  find(wanted: string): Found[] {
    if (wanted === "") return [];
    const sensitive = wanted !== wanted.toLowerCase();
    const fold = (text: string): string => (sensitive ? text : text.toLowerCase());
    const found: Found[] = [];
    for (let row = 0; row < this.rows;) {
      const first = row;
      let text = this.line(row)?.translateToString(false) ?? "";
      row++;
      while (this.line(row)?.isWrapped === true) text += this.line(row++)?.translateToString(false) ?? "";
      const searched = fold(text);
      if (!searched.includes(fold(wanted))) continue;
      const places = this.placesOf(first, row);
      for (let at = searched.indexOf(fold(wanted)); at !== -1; at = searched.indexOf(fold(wanted), at + 1)) {
        const from = places[at];
        const to = places[at + wanted.length - 1];
        if (from !== undefined && to !== undefined) found.push({ from, to });
      }
    }
    return found;
  }

  dispose(): void {
    this.emulator.terminal.dispose();
  }

  /** The cell of each character in the text of some rows. */
  private placesOf(first: number, end: number): Place[] {
    const places: Place[] = [];
    for (let row = first; row < end; row++) {
      const line = this.line(row);
      if (line === undefined) break;
      for (let column = 0; column < this.cols; column++) {
        const cell = line.getCell(column);
        if (cell === undefined || cell.getWidth() === 0) continue;
        for (let unit = 0; unit < Math.max(1, cell.getChars().length); unit++) places.push({ row, column });
      }
    }
    return places;
  }

  private line(row: number): BufferLine | undefined {
    return this.emulator.terminal.buffer.active.getLine(row);
  }
}
