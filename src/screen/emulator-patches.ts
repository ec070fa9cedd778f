/** Fixes for bugs and slow parts of xterm.js 6.0.0, for the runner's emulator and the page's. Each says why; all are tested. */
import { EMPTY, fillCells, HAS_EXTENDED, startsWideAt } from "./cells.ts";
import type { EmulatorCore, EraseParams, Line, Pen, SequenceId } from "./emulator-core.ts";

/**
 * xterm.js throws on CSI 1 J with the cursor in the last cell of the last line: it reads a line below. Here that erase is done in
 * two safe steps. False: the emulator can do it itself.
 */
export function eraseAboveFromLastCell(core: EmulatorCore): boolean {
  const { active } = core.buffers;
  const { x } = active;
  const cols = active.lines.get(0)?.length ?? 0;
  if (x + 1 < cols || active.y + 1 < active.lines.length) return false;
  const upToCursor: EraseParams = { params: [1], length: 1 };
  active.x = cols - 2;
  core._inputHandler.eraseInDisplay(upToCursor);
  active.x = x;
  return core._inputHandler.eraseInLine(upToCursor);
}

/** Sequences executed step by step as often as the parameter says, though further steps change nothing. */
const REPEATED = [
  ...[..."LMSTIZ"].map((final) => ({ final })),
  ...[..."@A"].map((final) => ({ intermediates: " ", final })),
  ...[..."}~"].map((final) => ({ intermediates: "'", final })),
];

/** Otherwise twelve bytes, `CSI 2147483647 L`, would block a runner for an hour. */
export function boundRepetitions(terminal: { cols: number; rows: number }, core: EmulatorCore): void {
  const bound = (id: SequenceId, limit: () => number): void => {
    core._inputHandler._parser.registerCsiHandler(id, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, limit());
      return false;
    });
  };
  for (const id of REPEATED) bound(id, () => Math.max(terminal.cols, terminal.rows));
  // Repeats the last character at most a screenful, like other terminals.
  bound({ final: "b" }, () => terminal.cols * terminal.rows);
}

const patched = new WeakSet<object>();

interface FillCell extends Pen {
  readonly content: number;
}

interface LinePrototype {
  copyFrom(this: Line, from: Line): void;
  fill(this: Line, cell: FillCell, respectProtect?: boolean): void;
  replaceCells(this: Line, start: number, end: number, cell: FillCell, respectProtect?: boolean): void;
}

/**
 * Speeds up lines: a recycled line got two new empty objects each time, a sixth of the time in a flood; erasing checked each cell
 * for what is the same in all, a fifth of repaints.
 */
export function speedUpLines(core: EmulatorCore): void {
  const line = core.buffers.normal.lines.get(0);
  if (line === undefined) return;
  const prototype = Object.getPrototypeOf(line) as LinePrototype;
  if (patched.has(prototype)) return;
  patched.add(prototype);
  const { copyFrom, fill, replaceCells } = prototype;
  prototype.copyFrom = function copyPlainFrom(from) {
    const plain = this.length === from.length && isPlain(this) && isPlain(from);
    if (!plain) return copyFrom.call(this, from);
    this._data.set(from._data);
    this.isWrapped = from.isWrapped;
  };
  prototype.fill = function fillPlain(cell, respectProtect) {
    if (respectProtect === true || !isEmptyCell(cell) || !isPlain(this)) fill.call(this, cell, respectProtect);
    else fillCells(this._data, 0, this.length, cell.fg, cell.bg);
  };
  prototype.replaceCells = function replacePlain(start, end, cell, respectProtect) {
    if (respectProtect === true || !isEmptyCell(cell)) return replaceCells.call(this, start, end, cell, respectProtect);
    const { fg, bg } = cell;
    // Half a wide character at either end is erased with its other half.
    if (start > 0 && startsWideAt(this, start - 1)) fillCells(this._data, start - 1, start, fg, bg);
    if (end < this.length && startsWideAt(this, end - 1)) fillCells(this._data, end, end + 1, fg, bg);
    fillCells(this._data, start, Math.min(end, this.length), fg, bg);
  };
}

function isEmptyCell({ content, bg }: FillCell): boolean {
  return content === EMPTY && (bg & HAS_EXTENDED) === 0;
}

function isPlain(line: Line): boolean {
  for (const _ in line._combined) return false;
  for (const _ in line._extendedAttrs) return false;
  return true;
}
