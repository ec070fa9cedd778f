/**
 * A whole screen as terminal output: on a cleared terminal of the same size it restores cells, wrapping and state (margins, tab
 * stops, cursors, attributes, character sets, modes).
 */
import { ByteSink } from "./byte-sink.ts";
import { backgroundAt, fillsRow, hasContentAt, isSecondHalf } from "./cells.ts";
import type { Charset, Emulator, EmulatorCore, Line, Pen, ScreenBuffer } from "./emulator.ts";
import type { TerminalModes } from "./modes.ts";
import { linkSequence, RowPainter } from "./row-paint.ts";
import { HAS_EXTENDED, sgr } from "./sgr.ts";

const TAB_WIDTH = 8;

/** How the text above the screen ends, so that the first row can continue it. */
export interface PaintedAbove {
  /** The last line above continues on the screen's first row. */
  continues: boolean;
}

export function paintScreen(emulator: Emulator, modes: TerminalModes, above: PaintedAbove): string {
  const { core, terminal } = emulator;
  const { normal, alt, active } = core.buffers;
  const { rows, cols } = terminal;
  const sink = new ByteSink();
  const painter = new RowPainter(core, sink);
  paintRows(painter, sink, normal, rows, above.continues);
  sink.ascii(paintTabStops(normal, cols));
  if (active === alt) {
    // Leaving the alternate screen restores the saved cursor, and the switch saves the current one. It also fills the screen with
    // the saved colour, hence the erase.
    sink.ascii(paintMargins(normal, rows) + paintSavedCursor(normal));
    sink.ascii(`${modes.keyboard.restore("normal")}\x1b[?1049h`);
    sink.ascii(`${sgr(0, 0, undefined)}${selectCharset(undefined)}\x1b[2J\x1b[H`);
    paintRows(painter, sink, alt, rows, false);
    sink.ascii(paintTabStops(alt, cols));
  }
  sink.ascii(`${paintSavedCursor(active)}\x1b7`);
  sink.ascii(sgr(0, 0, undefined) + selectCharset(undefined) + paintMargins(active, rows));
  paintCursor(painter, sink, core, cols);
  sink.text(paintPen(core, core._inputHandler._curAttrData));
  sink.ascii(paintCharsets(core) + modes.restore());
  sink.ascii(modes.keyboard.restore(active === alt ? "alternate" : "normal"));
  return sink.takeText();
}

/** The rows of a screen, each on its own. */
export function paintLines(core: EmulatorCore, buffer: ScreenBuffer, rows: number): string[] {
  const sink = new ByteSink();
  const painter = new RowPainter(core, sink);
  return Array.from({ length: rows }, (_, row) => {
    const line = buffer.lines.get(buffer.ybase + row);
    if (line !== undefined) painter.paint(line);
    return sink.takeText();
  });
}

/** Rows in order, each wrapped into the next where it was. */
function paintRows(painter: RowPainter, sink: ByteSink, buffer: ScreenBuffer, rows: number, continues: boolean): void {
  let previous: Line | undefined = continues ? buffer.lines.get(buffer.ybase - 1) : undefined;
  for (let row = 0; row < rows; row++) {
    const line = buffer.lines.get(buffer.ybase + row);
    if (line === undefined) break;
    // A terminal of one row cannot wrap.
    if (line.isWrapped && previous !== undefined && rows > 1) sink.ascii(wrapFrom(previous, line));
    else if (row > 0) sink.ascii("\r\n");
    painter.paint(line);
    previous = line;
  }
}

/** Moves from a painted row to the next so that it is marked as wrapped. */
function wrapFrom(line: Line, next: Line): string {
  // A space wraps with default attributes; the first character could drag its background over the row.
  const erase = hasContentAt(next, 0) ? "" : "\x1b[X";
  if (fillsRow(line)) return ` \r${erase}`;
  const color = backgroundAt(line, line.length - 1);
  const back = `\x1b[A\x1b[${line.length}G${sgr(0, color, undefined)}\x1b[X${sgr(0, 0, undefined)}\x1b[B\r`;
  return `\x1b[${line.length}G  ${back}${erase}`;
}

function paintTabStops(buffer: ScreenBuffer, cols: number): string {
  const stops: number[] = [];
  let usual = true;
  for (let x = 0; x < cols; x++) {
    const set = buffer.tabs[x] === true;
    if (set) stops.push(x);
    if (set !== (x % TAB_WIDTH === 0)) usual = false;
  }
  return usual ? "" : `\x1b[3g${stops.map((x) => `\x1b[${x + 1}G\x1bH`).join("")}`;
}

function paintMargins(buffer: ScreenBuffer, rows: number): string {
  if (buffer.scrollTop === 0 && buffer.scrollBottom === rows - 1) return "";
  return `\x1b[${buffer.scrollTop + 1};${buffer.scrollBottom + 1}r`;
}

/** Restores the saved cursor with its attributes and character set. */
function paintSavedCursor(buffer: ScreenBuffer): string {
  const y = Math.max(buffer.savedY - buffer.ybase, 0);
  const { fg, bg, extended } = buffer.savedCurAttrData;
  return `\x1b[${y + 1};${buffer.savedX + 1}H${sgr(fg, bg, extended)}${selectCharset(buffer.savedCharset)}`;
}

function paintCursor(painter: RowPainter, sink: ByteSink, core: EmulatorCore, cols: number): void {
  const { active } = core.buffers;
  const { origin } = core.coreService.decPrivateModes;
  const row = origin ? active.y - active.scrollTop : active.y;
  const place = (x: number): void => sink.ascii(`${origin ? "\x1b[?6h" : ""}\x1b[${row + 1};${x + 1}H`);
  const line = active.lines.get(active.ybase + active.y);
  if (active.x < cols || line === undefined || !fillsRow(line)) return place(Math.min(active.x, cols - 1));
  // A cursor past the last column waits to wrap; only printing there restores that state.
  const last = isSecondHalf(line, cols - 1) ? cols - 2 : cols - 1;
  place(last);
  painter.paint(line, false, last);
}

function paintPen(core: EmulatorCore, pen: Pen): string {
  const linked = pen.extended.urlId !== 0 && (pen.bg & HAS_EXTENDED) !== 0;
  const link = linked ? linkSequence(core, pen.extended.urlId) : "";
  return sgr(pen.fg, pen.bg, pen.extended) + link;
}

const DESIGNATORS = ["(", ")", "*", "+"];
const SHIFTS = ["", "\x0e", "\x1bn", "\x1bo"];

function paintCharsets(core: EmulatorCore): string {
  const { _charsets, glevel, charset } = core._charsetService;
  let out = "";
  for (const [level, designator] of DESIGNATORS.entries()) {
    // A restored cursor brings back the current set without designating it.
    const designated = level === glevel ? charset : _charsets[level];
    if (designated !== undefined) out += `\x1b${designator}${charsetName(designated)}`;
  }
  return out + (SHIFTS[glevel] ?? "");
}

function selectCharset(charset: Charset): string {
  return charset === undefined ? "\x1b(B" : `\x1b(${charsetName(charset)}`;
}

/** Line drawing and British are in use; other national sets are treated as ASCII. */
function charsetName(charset: Charset): string {
  if (charset?.["q"] === "\u2500") return "0";
  return charset?.["#"] === "\u00a3" ? "A" : "B";
}
