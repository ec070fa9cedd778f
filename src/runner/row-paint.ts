/**
 * One row of cells as terminal output. A row starts and ends with default attributes and no link, so rows can be
 * kept, cut and joined freely. Empty cells stay empty: they are stepped over, or erased when they have a colour.
 */
import type { EmulatorCore, ExtendedAttributes, Line } from "./emulator.ts";
import { BACKGROUND_COLOR, HAS_EXTENDED, sgr } from "./sgr.ts";

const WORDS_PER_CELL = 3;
const CODE_POINT = 0x1f_ffff;
const IS_COMBINED = 0x20_0000;
const HAS_CONTENT = 0x3f_ffff;
const WIDTH_SHIFT = 22;

/** Inverse, underline, blink, strike-through: an empty cell with one of these looks like a space, not like nothing. */
const VISIBLE_WHEN_EMPTY = 0xb400_0000;

/** Of a value of the width tables: this code point joins the cell before it. */
const JOINS = 1;

/** The value of a plain narrow character: width 1, nothing special. */
const PLAIN = 2;

export interface PaintOptions {
  /** What lies under the row is not blank: empty cells must be erased too. */
  overwrite: boolean;
}

const ON_BLANK: PaintOptions = { overwrite: false };

export function paintRow(core: EmulatorCore, line: Line, options = ON_BLANK): string {
  return new RowPainter(core, line, options).paint();
}

/** Text of the row without attributes; trailing empty cells are left out. */
export function rowText(line: Line): string {
  let text = "";
  let gap = 0;
  for (let x = 0; x < line.length; x++) {
    const content = line._data[x * WORDS_PER_CELL] ?? 0;
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

/** Whether printing the row leaves the cursor waiting to wrap. */
export function fillsRow(line: Line): boolean {
  const at = (line.length - 1) * WORDS_PER_CELL;
  const content = line._data[at] ?? 0;
  const printed = (content & HAS_CONTENT) !== 0 || ((line._data[at + 1] ?? 0) & VISIBLE_WHEN_EMPTY) !== 0;
  return printed || content >>> WIDTH_SHIFT === 0;
}

export function hasContentAt(line: Line, x: number): boolean {
  return ((line._data[x * WORDS_PER_CELL] ?? 0) & HAS_CONTENT) !== 0;
}

export function startsWide(line: Line): boolean {
  return (line._data[0] ?? 0) >>> WIDTH_SHIFT === 2;
}

/** Empty cells at the end of the row. */
export function trailingGap(line: Line): number {
  let x = line.length;
  while (x > 0 && !hasContentAt(line, x - 1) && (line._data[(x - 1) * WORDS_PER_CELL] ?? 0) >>> WIDTH_SHIFT !== 0) x--;
  return line.length - x;
}

/** The background colour of one cell, as a word. */
export function backgroundAt(line: Line, x: number): number {
  return (line._data[x * WORDS_PER_CELL + 2] ?? 0) & BACKGROUND_COLOR;
}

/** Column and painting of the last cell, which may be the second half of a wide one. */
export function paintLastCell(core: EmulatorCore, line: Line): { x: number; painted: string } {
  let x = line.length - 1;
  if ((line._data[x * WORDS_PER_CELL] ?? 0) >>> WIDTH_SHIFT === 0 && x > 0) x--;
  return { x, painted: new RowPainter(core, line, ON_BLANK).paint(x) };
}

function cellText(line: Line, x: number, content: number): string {
  return content & IS_COMBINED ? (line._combined[x] ?? " ") : String.fromCodePoint(content & CODE_POINT);
}

class RowPainter {
  private readonly core: EmulatorCore;
  private readonly line: Line;
  private readonly overwrite: boolean;
  private out = "";
  private fg = 0;
  private bg = 0;
  private extended: ExtendedAttributes | undefined;
  private link = 0;
  /** Empty cells not yet stepped over, all with `gapColor`. */
  private gap = 0;
  private gapColor = 0;
  /** What the emulator will remember of the character just printed; 0 after any escape sequence. */
  private joinState = 0;

  constructor(core: EmulatorCore, line: Line, options: PaintOptions) {
    this.core = core;
    this.line = line;
    this.overwrite = options.overwrite;
  }

  paint(from = 0): string {
    const { _data: data, length, _extendedAttrs } = this.line;
    for (let x = from; x < length; x++) {
      const at = x * WORDS_PER_CELL;
      const content = data[at] ?? 0;
      if (content >>> WIDTH_SHIFT === 0) continue;
      const fg = data[at + 1] ?? 0;
      const bg = data[at + 2] ?? 0;
      if ((content & HAS_CONTENT) === 0 && (fg & VISIBLE_WHEN_EMPTY) === 0) {
        this.skip(bg & BACKGROUND_COLOR);
        continue;
      }
      if (this.gap > 0) this.closeGap();
      this.select(fg, bg, bg & HAS_EXTENDED ? _extendedAttrs[x] : undefined);
      if (content & HAS_CONTENT) this.print(content, x);
      else this.printSpace();
    }
    return this.finish();
  }

  private print(content: number, x: number): void {
    const code = content & CODE_POINT;
    if (!(content & IS_COMBINED) && code < 0x7f && this.joinState <= PLAIN) {
      this.out += String.fromCharCode(code);
      this.joinState = PLAIN;
      return;
    }
    const text = cellText(this.line, x, content);
    const { unicodeService } = this.core;
    const first = text.codePointAt(0) ?? 0;
    if (this.joinState !== 0 && unicodeService.charProperties(first, this.joinState) & JOINS) {
      // Two cells that would melt into one when printed in a row; any sequence between them keeps them apart.
      this.out += sgr(this.fg, this.bg, this.extended);
      this.joinState = 0;
    }
    for (const character of text) {
      this.joinState = unicodeService.charProperties(character.codePointAt(0) ?? 0, this.joinState);
    }
    this.out += text;
  }

  private printSpace(): void {
    this.out += " ";
    this.joinState = PLAIN;
  }

  private skip(color: number): void {
    if (this.gap > 0 && color !== this.gapColor) this.closeGap();
    this.gap++;
    this.gapColor = color;
  }

  private closeGap(): void {
    if (this.gapColor !== 0 || this.overwrite) {
      this.select(0, this.gapColor, undefined);
      this.out += `\x1b[${this.gap}X`;
    }
    this.out += `\x1b[${this.gap}C`;
    this.joinState = 0;
    this.gap = 0;
  }

  private finish(): string {
    if (this.gap > 0 && (this.gapColor !== 0 || this.overwrite)) {
      this.select(0, this.gapColor, undefined);
      this.out += `\x1b[${this.gap}X`;
    }
    this.select(0, 0, undefined);
    return this.out;
  }

  private select(fg: number, bg: number, extended: ExtendedAttributes | undefined): void {
    const link = extended?.urlId ?? 0;
    if (link !== this.link) {
      this.out += linkSequence(this.core, link);
      this.link = link;
      this.joinState = 0;
    }
    if (fg === this.fg && bg === this.bg && sameUnderline(extended, this.extended)) return;
    this.out += sgr(fg, bg, extended);
    this.fg = fg;
    this.bg = bg;
    this.extended = extended;
    this.joinState = 0;
  }
}

function sameUnderline(a: ExtendedAttributes | undefined, b: ExtendedAttributes | undefined): boolean {
  return a?._ext === b?._ext;
}

/** OSC 8 that opens a link, or ends the open one. */
export function linkSequence(core: EmulatorCore, urlId: number): string {
  const link = urlId === 0 ? undefined : core._oscLinkService.getLinkData(urlId);
  if (link === undefined) return "\x1b]8;;\x1b\\";
  return `\x1b]8;${link.id === undefined ? "" : `id=${link.id}`};${link.uri}\x1b\\`;
}
