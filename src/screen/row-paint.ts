/**
 * Converts one row of cells to terminal output. Rows start and end with default attributes and no link, so they can be stored and
 * joined freely. Runs for every line that leaves a screen.
 */
import type { ByteSink } from "./byte-sink.ts";
import { cellText, endOfContent, HAS_CONTENT, VISIBLE_WHEN_EMPTY, WIDTH_SHIFT, WORDS_PER_CELL } from "./cells.ts";
import type { EmulatorCore, ExtendedAttributes, Line } from "./emulator.ts";
import { BACKGROUND_COLOR, HAS_EXTENDED, sgr } from "./sgr.ts";

/** Flag of a width table value: joins the cell before it. */
const JOINS = 1;

/** Value of a plain narrow character. */
const PLAIN = 2;

/** Content of an empty cell; an ASCII cell adds the character. */
const NARROW = 1 << WIDTH_SHIFT;

export class RowPainter {
  private readonly core: EmulatorCore;
  private readonly sink: ByteSink;
  private fg = 0;
  private bg = 0;
  private extended: ExtendedAttributes | undefined;
  private link = 0;
  /** Pending empty cells, all with `gapColor`. */
  private gap = 0;
  private gapColor = 0;
  /** The target row is not blank: empty cells must be erased too. */
  private overwrite = false;
  /** The emulator's join state after the last character; 0 after any escape sequence. */
  private joinState = 0;

  constructor(core: EmulatorCore, sink: ByteSink) {
    this.core = core;
    this.sink = sink;
  }

  paint(line: Line, overwrite = false, from = 0): void {
    this.overwrite = overwrite;
    this.joinState = 0;
    const end = overwrite ? line.length : endOfContent(line);
    let x = from;
    while (x < end) x = this.paintPlainRun(line._data, x, end) ?? this.paintCell(line, x);
    this.finish();
  }

  /** ASCII in the current attributes, which is nearly everything: one byte per cell. Undefined if there is none here. */
  private paintPlainRun(data: Uint32Array, from: number, end: number): number | undefined {
    if (this.gap > 0 || this.joinState > PLAIN || this.extended !== undefined) return undefined;
    const { sink } = this;
    // As signed numbers: the words exceed 2^31, and arithmetic on those is three times slower.
    const fg = this.fg | 0;
    const bg = this.bg | 0;
    sink.reserve(end - from);
    const { bytes } = sink;
    let { length } = sink;
    let x = from;
    for (let at = x * WORDS_PER_CELL; x < end; x++, at += WORDS_PER_CELL) {
      const code = ((data[at] as number) | 0) - NARROW;
      if (code <= 0 || code >= 0x7f) break;
      if (((data[at + 1] as number) | 0) !== fg || ((data[at + 2] as number) | 0) !== bg) break;
      bytes[length++] = code;
    }
    if (x === from) return undefined;
    sink.length = length;
    this.joinState = PLAIN;
    return x;
  }

  /** Any cell. Returns the next position. */
  private paintCell(line: Line, x: number): number {
    const at = x * WORDS_PER_CELL;
    const content = line._data[at] as number;
    const fg = line._data[at + 1] as number;
    const bg = line._data[at + 2] as number;
    if ((content & HAS_CONTENT) === 0) {
      if (content >>> WIDTH_SHIFT === 0) return x + 1;
      if ((fg & VISIBLE_WHEN_EMPTY) === 0) {
        this.skip(bg & BACKGROUND_COLOR);
        return x + 1;
      }
    }
    if (this.gap > 0) this.closeGap();
    this.select(fg, bg, bg & HAS_EXTENDED ? line._extendedAttrs[x] : undefined);
    this.print(line, x, content);
    return x + 1;
  }

  private print(line: Line, x: number, content: number): void {
    const text = content & HAS_CONTENT ? cellText(line, x, content) : " ";
    const { unicodeService } = this.core;
    if (this.joinState !== 0 && unicodeService.charProperties(text.codePointAt(0) ?? 0, this.joinState) & JOINS) {
      // Two cells that would merge when printed in a row; any sequence between them keeps them apart.
      this.sink.ascii(sgr(this.fg, this.bg, this.extended));
      this.joinState = 0;
    }
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      this.joinState = unicodeService.charProperties(code, this.joinState);
      this.sink.codePoint(code);
    }
  }

  private skip(color: number): void {
    if (this.gap > 0 && color !== this.gapColor) this.closeGap();
    this.gap++;
    this.gapColor = color;
  }

  private closeGap(): void {
    this.eraseGap();
    this.sink.ascii(`\x1b[${this.gap}C`);
    this.joinState = 0;
    this.gap = 0;
  }

  private eraseGap(): void {
    if (this.gapColor === 0 && !this.overwrite) return;
    this.select(0, this.gapColor, undefined);
    this.sink.ascii(`\x1b[${this.gap}X`);
  }

  private finish(): void {
    if (this.gap > 0) this.eraseGap();
    this.gap = 0;
    if (this.fg !== 0 || this.bg !== 0 || this.link !== 0) this.select(0, 0, undefined);
  }

  private select(fg: number, bg: number, extended: ExtendedAttributes | undefined): void {
    const link = extended?.urlId ?? 0;
    if (link !== this.link) {
      this.sink.text(linkSequence(this.core, link));
      this.link = link;
      this.joinState = 0;
    }
    if (fg === this.fg && bg === this.bg && extended?._ext === this.extended?._ext) return;
    this.sink.ascii(sgr(fg, bg, extended));
    this.fg = fg;
    this.bg = bg;
    this.extended = extended;
    this.joinState = 0;
  }
}

/** OSC 8 that opens a link, or closes the open one. */
export function linkSequence(core: EmulatorCore, urlId: number): string {
  const link = urlId === 0 ? undefined : core._oscLinkService.getLinkData(urlId);
  if (link === undefined) return "\x1b]8;;\x1b\\";
  return `\x1b]8;${link.id === undefined ? "" : `id=${link.id}`};${link.uri}\x1b\\`;
}
