/** Reads a row of cells, three words each: content, foreground, background. */
import type { Line, ScreenBuffer } from "./emulator-core.ts";
import { BACKGROUND_COLOR } from "./sgr.ts";

export const WORDS_PER_CELL = 3;
const CODE_POINT = 0x1f_ffff;
const IS_COMBINED = 0x20_0000;
export const HAS_CONTENT = 0x3f_ffff;
export const WIDTH_SHIFT = 22;
export const EMPTY = 1 << WIDTH_SHIFT;

/** Flag of a background word: extended attributes exist. */
export const HAS_EXTENDED = 0x1000_0000;

/** Inverse, underline, blink, strike-through: an empty cell with one of these looks like a space. */
export const VISIBLE_WHEN_EMPTY = 0xb400_0000;

/** Text of the row without attributes and trailing empty cells. */
function rowText(line: Line): string {
  let text = "";
  let gap = 0;
  for (let x = 0; x < line.length; x++) {
    const content = contentAt(line, x);
    if (content >>> WIDTH_SHIFT === 0) continue;
    if ((content & HAS_CONTENT) === 0) {
      gap++;
      continue;
    }
    text += " ".repeat(gap) + cellText(line, x, content);
    gap = 0;
  }
  return text;
}

/** A row's text, and where its colours change. Equal numbers are equal colours. */
export interface ColoredRow {
  text: string;
  looks: { at: number; ink: number; ground: number; isBold: boolean }[];
  /** Column of a visible cursor. */
  cursor?: number;
}

/** Flags of a foreground word. */
const INVERSE = 0x400_0000;
const BOLD = 0x800_0000;

function rowLooks(line: Line): ColoredRow {
  const row: ColoredRow = { text: "", looks: [] };
  for (let x = 0; x < line.length; x++) {
    const content = contentAt(line, x);
    if (content >>> WIDTH_SHIFT === 0) continue;
    const [fg = 0, bg = 0] = [line._data[x * WORDS_PER_CELL + 1], line._data[x * WORDS_PER_CELL + 2]];
    // Inverse default colours must differ from plain ones too.
    const isInverse = (fg & INVERSE) !== 0;
    const [ink, ground] = isInverse
      ? [bg & BACKGROUND_COLOR, (fg & BACKGROUND_COLOR) - INVERSE]
      : [fg & BACKGROUND_COLOR, bg & BACKGROUND_COLOR];
    const isBold = (fg & BOLD) !== 0;
    const last = row.looks.at(-1);
    if (last?.ink !== ink || last.ground !== ground || last.isBold !== isBold) {
      row.looks.push({ at: row.text.length, ink, ground, isBold });
    }
    row.text += (content & HAS_CONTENT) === 0 ? " " : cellText(line, x, content);
  }
  return row;
}

/** The rows of a screen with their colours. */
export function coloredRows(buffer: ScreenBuffer, rows: number): ColoredRow[] {
  const lines = Array.from({ length: rows }, (_, row) => buffer.lines.get(buffer.ybase + row));
  return lines.map((line) => (line === undefined ? { text: "", looks: [] } : rowLooks(line)));
}

/** The rows of a screen as text. */
export function screenText(buffer: ScreenBuffer, rows: number): string[] {
  const lines = Array.from({ length: rows }, (_, row) => buffer.lines.get(buffer.ybase + row));
  return lines.map((line) => (line === undefined ? "" : rowText(line)));
}

export function cellText(line: Line, x: number, content: number): string {
  return content & IS_COMBINED ? (line._combined[x] ?? " ") : String.fromCodePoint(content & CODE_POINT);
}

/** Whether printing the row leaves the cursor waiting to wrap. */
export function fillsRow(line: Line): boolean {
  return !isEmptyAt(line, line.length - 1);
}

/** The second half of a wide character is not empty. */
export function isEmptyAt(line: Line, x: number): boolean {
  const content = contentAt(line, x);
  if ((content & HAS_CONTENT) !== 0 || content >>> WIDTH_SHIFT === 0) return false;
  return ((line._data[x * WORDS_PER_CELL + 1] ?? 0) & VISIBLE_WHEN_EMPTY) === 0;
}

export function hasContentAt(line: Line, x: number): boolean {
  return (contentAt(line, x) & HAS_CONTENT) !== 0;
}

export function isSecondHalf(line: Line, x: number): boolean {
  return contentAt(line, x) >>> WIDTH_SHIFT === 0;
}

export function startsWideAt(line: Line, x: number): boolean {
  return contentAt(line, x) >>> WIDTH_SHIFT === 2;
}

/** Empty cells at the end of the row. */
export function trailingGap(line: Line): number {
  let x = line.length;
  while (x > 0 && isEmptyAt(line, x - 1)) x--;
  return line.length - x;
}

/** Column after the last cell that shows anything. */
export function endOfContent(line: Line): number {
  const { _data: data } = line;
  let x = line.length;
  for (let at = (x - 1) * WORDS_PER_CELL; x > 0; x--, at -= WORDS_PER_CELL) {
    if (data[at] !== 1 << WIDTH_SHIFT) break;
    if (((data[at + 1] as number) & VISIBLE_WHEN_EMPTY) !== 0 || ((data[at + 2] as number) & BACKGROUND_COLOR) !== 0)
      break;
  }
  return x;
}

/** The background colour of one cell, as a word. */
export function backgroundAt(line: Line, x: number): number {
  return (line._data[x * WORDS_PER_CELL + 2] ?? 0) & BACKGROUND_COLOR;
}

function contentAt(line: Line, x: number): number {
  return line._data[x * WORDS_PER_CELL] ?? 0;
}

/** Empties cells, keeping colours. */
export function fillCells(words: Uint32Array, from: number, to: number, fg: number, bg: number): void {
  const end = to * WORDS_PER_CELL;
  for (let at = from * WORDS_PER_CELL; at < end; at += WORDS_PER_CELL) {
    words[at] = EMPTY;
    words[at + 1] = fg;
    words[at + 2] = bg;
  }
}
