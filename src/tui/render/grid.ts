/**
 * A grid of cells. A cell is four numbers (content, foreground, background, extras), so that frames are compared
 * without strings. Multi-code-point text, links and underline styles are interned.
 */
import { clusters } from "./text-width.ts";
import { Interned } from "./interned.ts";
import { COLOR_BITS, PLAIN, type Style } from "./style.ts";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const CELL = 4;
export const WIDTH_SHIFT = 22;
export const COMBINED = 0x20_0000;
export const CODE = 0x1f_ffff;

/** An empty narrow cell. */
export const EMPTY = 1 << WIDTH_SHIFT;

/** Interned text of more than one code point. */
export const combinedTexts = new Interned<string>();

const ASCII_END = 0x7f;

export class Grid {
  readonly width: number;
  readonly height: number;
  readonly cells: Uint32Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.cells = new Uint32Array(width * height * CELL);
    this.clear();
  }

  clear(): void {
    this.cover({ x: 0, y: 0, width: this.width, height: this.height });
  }

  cover(area: Rect, look: Style = PLAIN, character = 0): void {
    const { x, y, width, height } = this.within(area);
    if (width <= 0) return;
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) this.set(column, row, EMPTY | character, look);
      this.mend(x, row);
      this.mend(x + width, row);
    }
  }

  /** Writes one line at `x`, at most `max` columns; returns the next column. */
  put(x: number, y: number, text: string, look: Style = PLAIN, max = Number.POSITIVE_INFINITY): number {
    if (y < 0 || y >= this.height) return x;
    const end = Math.min(this.width, x + max);
    let column = x;
    for (const { text: content, width } of clusters(text)) {
      if (column + width > end) break;
      if (column >= 0) this.putCluster(column, y, content, width, look);
      column += width;
    }
    if (column > 0) {
      this.mend(x, y);
      this.mend(column, y);
    }
    return column;
  }

  /** Changes the background of cells, or inverts them, and keeps their text. */
  tint({ x, y, width, height }: Rect, look: Style): void {
    const area = this.within({ x, y, width, height });
    for (let row = area.y; row < area.y + area.height; row++) {
      for (let column = area.x; column < area.x + area.width; column++) {
        const at = (row * this.width + column) * CELL;
        this.cells[at + 1] = ((this.cells[at + 1] as number) ^ (look.fg & ~COLOR_BITS)) >>> 0;
        if ((look.fg & COLOR_BITS) !== 0) {
          this.cells[at + 1] = (((this.cells[at + 1] as number) & ~COLOR_BITS) | (look.fg & COLOR_BITS)) >>> 0;
        }
        if ((look.bg & COLOR_BITS) !== 0) {
          this.cells[at + 2] = (((this.cells[at + 2] as number) & ~COLOR_BITS) | (look.bg & COLOR_BITS)) >>> 0;
        }
      }
    }
  }

  /** Copies the upper left part of another grid. */
  draw(source: Grid, area: Rect, fromRow = 0): void {
    const width = Math.min(area.width, source.width, this.width - area.x);
    const height = Math.min(area.height, source.height - fromRow, this.height - area.y);
    if (width <= 0) return;
    for (let row = 0; row < height; row++) {
      const from = (row + fromRow) * source.width * CELL;
      const to = ((area.y + row) * this.width + area.x) * CELL;
      this.cells.set(source.cells.subarray(from, from + width * CELL), to);
      this.mend(area.x, area.y + row);
      this.mend(area.x + width, area.y + row);
    }
  }

  /** The text of a row, for tests and for copying. */
  text(y: number, from = 0, to = this.width): string {
    let text = "";
    for (let x = from; x < to; x++) {
      const content = this.cells[(y * this.width + x) * CELL] as number;
      if (content >>> WIDTH_SHIFT !== 0) text += cellText(content);
    }
    return text;
  }

  private putCluster(x: number, y: number, text: string, width: number, look: Style): void {
    const code = text.codePointAt(0) ?? 0;
    const isSingle = code < ASCII_END || text.length === (code > 0xffff ? 2 : 1);
    const content = isSingle ? code : COMBINED | combinedTexts.id(text);
    this.set(x, y, content | (width << WIDTH_SHIFT), look);
    if (width === 2) this.set(x + 1, y, 0, look);
  }

  private set(x: number, y: number, content: number, look: Style): void {
    const at = (y * this.width + x) * CELL;
    this.cells[at] = content;
    this.cells[at + 1] = look.fg;
    this.cells[at + 2] = look.bg;
    this.cells[at + 3] = 0;
  }

  /** Replaces the remaining half of a wide character that was cut at this border by a space. */
  private mend(x: number, y: number): void {
    if (x <= 0 || x > this.width) return;
    const before = (y * this.width + x - 1) * CELL;
    const isFirstHalf = (this.cells[before] as number) >>> WIDTH_SHIFT === 2;
    const isSecondHalf = x < this.width && (this.cells[before + CELL] as number) >>> WIDTH_SHIFT === 0;
    if (isFirstHalf && !isSecondHalf) this.cells[before] = EMPTY;
    if (isSecondHalf && !isFirstHalf) this.cells[before + CELL] = EMPTY;
  }

  private within({ x, y, width, height }: Rect): Rect {
    const left = Math.max(0, x);
    const top = Math.max(0, y);
    return {
      x: left,
      y: top,
      width: Math.max(0, Math.min(this.width, x + width) - left),
      height: Math.max(0, Math.min(this.height, y + height) - top),
    };
  }
}

export function cellText(content: number): string {
  const code = content & CODE;
  if ((content & COMBINED) !== 0) return combinedTexts.value(code) ?? " ";
  return code === 0 ? " " : String.fromCodePoint(code);
}
