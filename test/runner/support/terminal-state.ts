/** Everything about an emulator's state that a user or program can notice, as plain data. */
import type { Emulator, ExtendedAttributes, Line, ScreenBuffer } from "../../../src/screen/emulator.ts";

const WORDS_PER_CELL = 3;
const HAS_CONTENT = 0x3f_ffff;
const COLOR = 0x3ff_ffff;
const HAS_EXTENDED = 0x1000_0000;
const UNDERLINE = 0x1000_0000;
const VISIBLE_WHEN_EMPTY = 0xb400_0000;

/** The emulator leaves RGB bits in the upper part of a palette colour. */
function color(word: number): number {
  const mode = word & 0x300_0000;
  return (mode === 0x100_0000 || mode === 0x200_0000 ? word & ~0xff_ff00 : word) >>> 0;
}

function underline(extended: ExtendedAttributes | undefined): string {
  const ext = extended?._ext ?? 0;
  return `${Math.max(1, (ext >>> 26) & 7)}/${color(ext & COLOR).toString(16)}`;
}

/** One cell as text: characters, width, attributes without those an empty cell cannot show. */
function cell(emulator: Emulator, line: Line, x: number): string {
  const content = line._data[x * WORDS_PER_CELL] ?? 0;
  const fg = color(line._data[x * WORDS_PER_CELL + 1] ?? 0);
  const bg = color(line._data[x * WORDS_PER_CELL + 2] ?? 0);
  const width = content >>> 22;
  if (width === 0) return "";
  if ((content & HAS_CONTENT) === 0 && (fg & VISIBLE_WHEN_EMPTY) === 0)
    return bg & COLOR ? `.${(bg & COLOR).toString(16)}` : ".";
  const text = content & 0x20_0000 ? line._combined[x] : String.fromCodePoint(content & 0x1f_ffff || 0x20);
  const extended = bg & HAS_EXTENDED ? line._extendedAttrs[x] : undefined;
  const link = extended?.urlId ? (emulator.core._oscLinkService.getLinkData(extended.urlId)?.uri ?? "") : "";
  const style = fg & UNDERLINE ? underline(extended) : "";
  return `${text}|${width}|${fg.toString(16)}|${(bg & ~HAS_EXTENDED & ~0x2000_0000).toString(16)}|${style}|${link}`;
}

function row(emulator: Emulator, line: Line | undefined): string {
  if (line === undefined) return "missing";
  const cells: string[] = [];
  for (let x = 0; x < line.length; x++) cells.push(cell(emulator, line, x));
  while (cells.at(-1) === ".") cells.pop();
  return `${line.isWrapped ? "~" : ""}${cells.join(" ")}`;
}

function bufferState(emulator: Emulator, buffer: ScreenBuffer): object {
  const { cols, rows } = emulator.terminal;
  const screen = Array.from({ length: rows }, (_, y) => row(emulator, buffer.lines.get(buffer.ybase + y)));
  // Without scrollback, the first row cannot say whether it continues a line.
  screen[0] = screen[0]?.replace(/^~/, "") ?? "";
  return {
    screen,
    margins: [buffer.scrollTop, buffer.scrollBottom],
    tabs: Object.keys(buffer.tabs).filter((column) => buffer.tabs[Number(column)] && Number(column) < cols),
    saved: [
      Math.min(buffer.savedX, cols - 1),
      Math.max(0, buffer.savedY - buffer.ybase),
      color(buffer.savedCurAttrData.fg),
      color(buffer.savedCurAttrData.bg) & ~HAS_EXTENDED,
    ],
  };
}

export function terminalState(emulator: Emulator): object {
  const { core, terminal } = emulator;
  const { active, alt, normal } = core.buffers;
  // A pending wrap after an empty cell: no output can restore that.
  const line = active.lines.get(active.ybase + active.y);
  const waitsOnNothing =
    active.x === terminal.cols && line !== undefined && cell(emulator, line, terminal.cols - 1).startsWith(".");
  const pen = core._inputHandler._curAttrData;
  const linked = (pen.bg & HAS_EXTENDED) !== 0 && core._oscLinkService.getLinkData(pen.extended.urlId) !== undefined;
  const styled = (pen.fg & UNDERLINE) !== 0;
  const { synchronizedOutput, ...modes } = core.coreService.decPrivateModes as Record<string, unknown>;
  return {
    size: [terminal.cols, terminal.rows],
    alternate: active === alt,
    normal: bufferState(emulator, normal),
    alt: active === alt ? bufferState(emulator, alt) : undefined,
    cursor: [waitsOnNothing ? terminal.cols - 1 : active.x, active.y],
    pen: [
      color(pen.fg),
      color(pen.bg & ~HAS_EXTENDED),
      styled ? underline(pen.bg & HAS_EXTENDED ? pen.extended : undefined) : "",
      linked,
    ],
    charset: [core._charsetService.glevel, core._charsetService.charset?.["q"]],
    modes: { ...modes, ...core.coreService.modes, mouse: terminal.modes.mouseTrackingMode, synchronizedOutput },
    mouseEncoding: (core as unknown as { coreMouseService: { activeEncoding: string } }).coreMouseService
      .activeEncoding,
    cursorHidden: core.coreService.isCursorHidden,
  };
}

/** Every line of screen and scrollback, joined where wrapped, with colours. */
export function allLines(emulator: Emulator): string[] {
  const { normal } = emulator.core.buffers;
  return Array.from({ length: normal.lines.length }, (_, y) => row(emulator, normal.lines.get(y)));
}

/** The emulator can split a wide character (wrapping off, or joined later); no output restores such cells. */
export function hasTornCells(emulator: Emulator): boolean {
  return [emulator.core.buffers.normal, emulator.core.buffers.alt].some(({ lines }) =>
    Array.from({ length: lines.length }, (_, y) => lines.get(y)).some(
      (line) =>
        line !== undefined &&
        Array.from({ length: line.length }, (_, x) => (line._data[x * WORDS_PER_CELL] ?? 0) >>> 22).some(
          (width, x, widths) => (width === 2) !== (widths[x + 1] === 0),
        ),
    ),
  );
}
