/**
 * Fast path for printing ordinary characters in plain modes: decides once per run instead of per character. Anything else (marks,
 * emoji, links, insert mode) goes to xterm.js.
 */
import { fillCells, HAS_EXTENDED, WIDTH_SHIFT, WORDS_PER_CELL } from "./cells.ts";
import type { EmulatorCore, Line, ScreenBuffer } from "./emulator-core.ts";
import { joinsNext, NOT_ORDINARY, ORDINARY_NARROW, type GraphemeWidths } from "./grapheme-widths.ts";

const NARROW = 1 << WIDTH_SHIFT;

type Print = (data: Uint32Array, start: number, end: number) => void;

export function printFast(core: EmulatorCore, widths: GraphemeWidths): void {
  const handler = core._inputHandler;
  const { _parser: parser } = handler;
  const printAny: Print = handler.print.bind(handler);

  handler.print = (data, start, end) => {
    if (!isPlain(core)) return printAny(data, start, end);
    for (let at = start; at < end; at++) {
      if (!joinsNext(parser.precedingJoinState)) at = printOrdinary(data, at, end);
      if (at < end) printAny(data, at, at + 1);
    }
  };

  /** Prints up to the first character that is not ordinary; returns its position. */
  function printOrdinary(data: Uint32Array, start: number, end: number): number {
    let value = widths.ordinary(data[start] as number);
    if (value === NOT_ORDINARY) return start;
    const { buffer, cols } = core._bufferService;
    const { fg, bg } = handler._curAttrData;
    let cells = cellsOf(buffer);
    let { x } = buffer;
    let at = start;
    let last = value;
    // The second half of a wide character is overwritten: clear the first.
    if (x > 0 && (cells[(x - 1) * WORDS_PER_CELL] as number) >>> WIDTH_SHIFT === 2) fillCells(cells, x - 1, x, fg, bg);
    for (;;) {
      const width = value >> 1;
      if (x + width > cols) {
        fillCells(cells, x, cols, fg, bg);
        wrap(core);
        cells = cellsOf(buffer);
        x = 0;
      }
      setCell(cells, x, (data[at] as number) | (width << WIDTH_SHIFT), fg, bg);
      if (width === 2) setCell(cells, x + 1, 0, fg, bg);
      x += width;
      at++;
      last = value;
      const stop = Math.min(end, at + cols - x);
      const asciiEnd = printAscii(data, at, stop, cells, x, fg, bg);
      if (asciiEnd > at) {
        x += asciiEnd - at;
        at = asciiEnd;
        last = ORDINARY_NARROW;
      }
      if (at === end) break;
      value = widths.ordinary(data[at] as number);
      if (value === NOT_ORDINARY) break;
    }
    buffer.x = x;
    parser.precedingJoinState = last;
    // The first half of a wide character was overwritten: clear the second.
    if (x < cols && cells[x * WORDS_PER_CELL] === 0) fillCells(cells, x, x + 1, fg, bg);
    return at;
  }
}

/** Prints a run of ASCII on one row; returns its end. The innermost loop of a flood. */
function printAscii(
  data: Uint32Array,
  start: number,
  end: number,
  cells: Uint32Array,
  x: number,
  fg: number,
  bg: number,
): number {
  let at = start;
  for (let word = x * WORDS_PER_CELL; at < end; at++, word += WORDS_PER_CELL) {
    const code = data[at] as number;
    if (code > 0x7e) break;
    cells[word] = code | NARROW;
    cells[word + 1] = fg;
    cells[word + 2] = bg;
  }
  return at;
}

function isPlain({ _charsetService, coreService, _inputHandler }: EmulatorCore): boolean {
  return (
    _charsetService.charset === undefined &&
    coreService.decPrivateModes.wraparound &&
    !coreService.modes.insertMode &&
    (_inputHandler._curAttrData.bg & HAS_EXTENDED) === 0
  );
}

function cellsOf({ lines, ybase, y }: ScreenBuffer): Uint32Array {
  return (lines.get(ybase + y) as Line)._data;
}

function setCell(cells: Uint32Array, x: number, content: number, fg: number, bg: number): void {
  const word = x * WORDS_PER_CELL;
  cells[word] = content;
  cells[word + 1] = fg;
  cells[word + 2] = bg;
}

/** Moves to the start of the next row, marked as a continuation. */
function wrap({ _bufferService: service, _inputHandler }: EmulatorCore): void {
  const { buffer } = service;
  buffer.x = 0;
  buffer.y++;
  if (buffer.y === buffer.scrollBottom + 1) {
    buffer.y--;
    service.scroll(_inputHandler._eraseAttrData(), true);
    return;
  }
  buffer.y = Math.min(buffer.y, service.rows - 1);
  (buffer.lines.get(buffer.ybase + buffer.y) as Line).isWrapped = true;
}
