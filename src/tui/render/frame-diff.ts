/**
 * Computes the terminal output that turns one frame into the next. After characters of ambiguous width the cursor is
 * positioned explicitly.
 */
import { withoutControls } from "../../lib/text/text.ts";
import { ByteSink } from "../../screen/byte-sink.ts";
import { sgr } from "../../screen/sgr.ts";
import { extras } from "./emulator-cells.ts";
import { INVERSE } from "./style.ts";
import { CELL, CODE, COMBINED, combinedTexts, EMPTY, WIDTH_SHIFT, type Grid } from "./grid.ts";

/** Up to this many unchanged cells are printed again, because a cursor jump is as long. */
const SHORT_GAP = 4;

/** From this many blank cells on, the end of a row is erased by one sequence. */
const LONG_BLANK = 4;

const HAS_EXTENDED = 0x1000_0000;
const NOWHERE = -1;
/** Below this code point, except for Hangul Jamo and similar, all terminals agree on the width 1. */
const SURE_BELOW = 0x300;
/** Box drawing, blocks, geometric shapes and braille. */
const DRAWING_FROM = 0x2500;
const DRAWING_TO = 0x28ff;

export class FrameDiff {
  private readonly sink = new ByteSink();
  private readonly reduce: (word: number) => number;
  private readonly isMark: (bg: number) => boolean;
  private fg = 0;
  private bg = 0;
  private extra = 0;
  private x = NOWHERE;
  private y = NOWHERE;

  /**
   * `reduce` maps a word to the nearest available colour; `isMark` tells which backgrounds must stay distinguishable.
   */
  constructor(reduce: (word: number) => number, isMark: (bg: number) => boolean = () => false) {
    this.reduce = reduce;
    this.isMark = isMark;
  }

  /** The output that turns `shown` into `next`; an undefined `shown` means that the screen is unknown. */
  update(shown: Grid | undefined, next: Grid): Buffer {
    this.reset();
    const isNew = shown === undefined || shown.width !== next.width || shown.height !== next.height;
    if (isNew) this.sink.ascii("\x1b[m\x1b[H\x1b[2J");
    for (let y = 0; y < next.height; y++) this.row(isNew ? undefined : shown, next, y);
    if (this.fg !== 0 || this.bg !== 0 || this.extra !== 0) this.select(0, 0, 0);
    return this.sink.take((bytes) => Buffer.from(bytes));
  }

  private reset(): void {
    this.fg = 0;
    this.bg = 0;
    this.extra = 0;
    this.x = NOWHERE;
    this.y = NOWHERE;
  }

  private row(shown: Grid | undefined, next: Grid, y: number): void {
    const { width, cells } = next;
    const begin = y * width * CELL;
    const end = begin + width * CELL;
    const old = shown?.cells;
    let from = begin;
    while (from < end && isSame(old, cells, from)) from += CELL;
    if (from === end) return;
    let last = end - CELL;
    while (last > from && isSame(old, cells, last)) last -= CELL;
    const blankFrom = this.blankFrom(cells, begin, end);
    let at = from;
    let unchanged = 0;
    while (at <= last) {
      if (at >= blankFrom && end - blankFrom >= LONG_BLANK * CELL) {
        this.eraseRest((at - begin) / CELL, y);
        return;
      }
      const content = cells[at] as number;
      if (content >>> WIDTH_SHIFT === 0) {
        at += CELL;
        continue;
      }
      if (isSame(old, cells, at) && (content >>> WIDTH_SHIFT < 2 || isSame(old, cells, at + CELL))) unchanged++;
      else {
        const x = (at - begin) / CELL;
        if (unchanged > 0 && unchanged <= SHORT_GAP && this.isHere(x - unchanged, y))
          this.reprint(cells, at, unchanged);
        unchanged = 0;
        this.moveTo(x, y);
        this.cell(cells, at, width);
      }
      at += CELL;
    }
  }

  /** The cells before `at` are unchanged and narrow, so printing them moves the cursor like a jump. */
  private reprint(cells: Uint32Array, at: number, count: number): void {
    for (let back = at - count * CELL; back < at; back += CELL) {
      if ((cells[back] as number) >>> WIDTH_SHIFT !== 1) return;
    }
    for (let back = at - count * CELL; back < at; back += CELL) this.cell(cells, back, Number.POSITIVE_INFINITY);
  }

  private cell(cells: Uint32Array, at: number, width: number): void {
    const content = cells[at] as number;
    this.select(cells[at + 1] as number, cells[at + 2] as number, cells[at + 3] as number);
    const code = content & CODE;
    const columns = content >>> WIDTH_SHIFT;
    if ((content & COMBINED) !== 0) this.sink.text(withoutControls(combinedTexts.value(code) ?? "") || " ");
    else this.sink.codePoint(code === 0 || isReordering(code) ? 0x20 : code);
    this.x += columns;
    const isSure = (content & COMBINED) === 0 && columns === 1 && isSureWidth(code);
    // After the last column the cursor position is undefined until it wraps.
    if (!isSure || this.x >= width) this.x = NOWHERE;
  }

  private eraseRest(x: number, y: number): void {
    this.moveTo(x, y);
    this.select(0, 0, 0);
    this.sink.ascii("\x1b[K");
  }

  /** Where the trailing blank cells in default colours begin. */
  private blankFrom(cells: Uint32Array, begin: number, end: number): number {
    let at = end;
    while (at > begin && isBlank(cells, at - CELL)) at -= CELL;
    return at;
  }

  private isHere(x: number, y: number): boolean {
    return this.x === x && this.y === y;
  }

  private moveTo(x: number, y: number): void {
    if (this.isHere(x, y)) return;
    if (this.y === y && this.x !== NOWHERE && x > this.x) this.sink.ascii(`\x1b[${x - this.x}C`);
    else this.sink.ascii(`\x1b[${y + 1};${x + 1}H`);
    this.x = x;
    this.y = y;
  }

  private select(fg: number, bg: number, extra: number): void {
    if (fg === this.fg && bg === this.bg && extra === this.extra) return;
    const old = this.extra === 0 ? "" : (extras.value(this.extra)?.link ?? "");
    const chosen = extra === 0 ? undefined : extras.value(extra);
    const link = chosen?.link ?? "";
    if (link !== old) this.sink.text(`\x1b]8;;${link}\x1b\\`);
    const styled = chosen === undefined || chosen.ext === 0 ? undefined : { _ext: chosen.ext, urlId: 0 };
    const background = this.reduce(bg);
    const foreground = (this.reduce(fg) ^ (this.isMark(bg) ? INVERSE : 0)) >>> 0;
    this.sink.ascii(sgr(foreground, styled === undefined ? background : (background | HAS_EXTENDED) >>> 0, styled));
    this.fg = fg;
    this.bg = bg;
    this.extra = extra;
  }
}

function isSame(old: Uint32Array | undefined, cells: Uint32Array, at: number): boolean {
  if (old === undefined) return isBlank(cells, at);
  return (
    old[at] === cells[at] &&
    old[at + 1] === cells[at + 1] &&
    old[at + 2] === cells[at + 2] &&
    old[at + 3] === cells[at + 3]
  );
}

const SPACE = EMPTY | 0x20;

function isBlank(cells: Uint32Array, at: number): boolean {
  const content = cells[at] as number;
  return (content === EMPTY || content === SPACE) && cells[at + 1] === 0 && cells[at + 2] === 0 && cells[at + 3] === 0;
}

/** Bidirectional controls of a program would also reorder what is beside its pane. */
function isReordering(code: number): boolean {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

function isSureWidth(code: number): boolean {
  return code < SURE_BELOW || (code >= DRAWING_FROM && code <= DRAWING_TO);
}
