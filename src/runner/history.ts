/**
 * Lines that have left the screen. A line as cells takes 1.5 KB, as text with its colours some 60 bytes; so only the
 * newest few hundred stay cells and the older ones are moved, when there is time, into packs of text. A packed line
 * is a whole one: what was wrapped is joined, so that it wraps anew at any width.
 */
import type { EmulatorCore, Line, ScreenBuffer } from "./emulator.ts";
import { backgroundAt, fillsRow, paintRow, rowText, startsWide, trailingGap } from "./row-paint.ts";

/** Rows that stay cells, and the surplus worth moving: a resize gets those back exactly. */
const KEPT_ROWS = 200;
const SURPLUS_ROWS = 200;

/** Rows moved in one go; about 2 ms of work. */
const ROWS_PER_SLICE = 200;

/** What one pack holds at most; whole packs are dropped, so it is also how far the limit can be overrun. */
const PACK_BYTES = 65_536;
const PACK_LINES = 500;

/** Wide and colourful lines shall not fill memory: with this much text the oldest packs go, whatever the line limit. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;

/** A "line" of megabytes without a break is cut for packing. */
const MAX_ROWS_PER_LINE = 500;

/** Text of some lines, oldest first; made when asked for. */
export type HistoryPiece = () => string[];

interface Pack {
  text: Buffer;
  lines: number;
}

export class History {
  private readonly core: EmulatorCore;
  private readonly limit: number;
  private packs: Pack[] = [];
  private packedLines = 0;
  private packedBytes = 0;
  /** Lines of the pack that is being filled. */
  private open: string[] = [];
  private openBytes = 0;

  constructor(core: EmulatorCore, limit: number) {
    this.core = core;
    this.limit = limit;
  }

  /** Packed lines and rows of cells; a wrapped line counts once when packed and by rows before. */
  get lines(): number {
    return this.packedLines + this.open.length + this.core.buffers.normal.ybase;
  }

  clear(): void {
    this.packs = [];
    this.packedLines = 0;
    this.packedBytes = 0;
    this.open = [];
    this.openBytes = 0;
  }

  /** Moves one slice of rows into packs. True when there is more to move. */
  packSlice(): boolean {
    const { normal } = this.core.buffers;
    const surplus = normal.ybase - KEPT_ROWS;
    if (surplus < SURPLUS_ROWS) return false;
    const rows = lineStart(normal, Math.min(surplus, ROWS_PER_SLICE));
    for (const line of joinedLines(this.core, normal, 0, rows)) this.add(line);
    dropRows(normal, rows);
    this.trim();
    return normal.ybase - KEPT_ROWS >= SURPLUS_ROWS;
  }

  /** Keeps the total under the limit; cheap enough for every piece of output. */
  trim(): void {
    let oldest = this.packs[0];
    while (oldest !== undefined && (this.lines - oldest.lines >= this.limit || this.packedBytes > MAX_PACKED_BYTES)) {
      this.packs.shift();
      this.packedLines -= oldest.lines;
      this.packedBytes -= oldest.text.length;
      oldest = this.packs[0];
    }
    if (oldest === undefined && this.open.length > 0 && this.core.buffers.normal.ybase >= this.limit) {
      this.open = [];
      this.openBytes = 0;
    }
  }

  /** The newest `max` lines in pieces, newest piece first. What they give never changes. */
  pieces(max: number): HistoryPiece[] {
    const { normal } = this.core.buffers;
    const from = lineStart(normal, Math.max(0, normal.ybase - max));
    const cells = [...joinedLines(this.core, normal, from, normal.ybase)];
    const newest = from > 0 ? cells : [...this.open, ...cells];
    const pieces: HistoryPiece[] = newest.length === 0 ? [] : [() => newest.slice(-max)];
    let left = from > 0 ? 0 : max - newest.length;
    for (let at = this.packs.length - 1; at >= 0 && left > 0; at--) {
      const pack = this.packs[at] as Pack;
      const wanted = left;
      pieces.push(() => pack.text.toString("utf8").split("\n").slice(-wanted));
      left -= pack.lines;
    }
    return pieces;
  }

  /** Whether the newest line goes on in the screen's first row. */
  get continues(): boolean {
    const { normal } = this.core.buffers;
    return normal.ybase > 0 && normal.lines.get(normal.ybase)?.isWrapped === true;
  }

  private add(line: string): void {
    this.open.push(line);
    this.openBytes += line.length + 1;
    if (this.openBytes < PACK_BYTES && this.open.length < PACK_LINES) return;
    const text = Buffer.from(this.open.join("\n"));
    this.packs.push({ text, lines: this.open.length });
    this.packedLines += this.open.length;
    this.packedBytes += text.length;
    this.open = [];
    this.openBytes = 0;
  }
}

/** The last row at or before `row` that begins a line, so that no line is torn; `row` itself if that one is endless. */
function lineStart(buffer: ScreenBuffer, row: number): number {
  for (let at = row; at > Math.max(0, row - MAX_ROWS_PER_LINE); at--) {
    if (buffer.lines.get(at)?.isWrapped !== true) return at;
  }
  return row;
}

function* joinedLines(core: EmulatorCore, buffer: ScreenBuffer, from: number, to: number): Generator<string> {
  let text = "";
  for (let row = from; row < to; row++) {
    const line = buffer.lines.get(row);
    if (line === undefined) continue;
    const next = buffer.lines.get(row + 1);
    // Scrolling up fills the new row with the colour in force: a row that begins coloured must erase its gaps.
    const overwrite = line.isWrapped && backgroundAt(line, 0) !== 0;
    text += paintRow(core, line, { overwrite });
    if (next?.isWrapped === true && row + 1 < to) {
      text += padding(line, next);
      continue;
    }
    yield text;
    text = "";
  }
}

/** Spaces that carry a row to its end, so that the next one wraps as it did. */
function padding(line: Line, next: Line): string {
  if (fillsRow(line)) return "";
  const gap = trailingGap(line);
  return gap === 1 && startsWide(next) ? "" : " ".repeat(gap);
}

/**
 * Takes the oldest rows out of the emulator. Setting its `scrollback` option would do it too, but resets the margins
 * and a cursor that waits to wrap.
 */
function dropRows(buffer: ScreenBuffer, rows: number): void {
  buffer.lines.trimStart(rows);
  buffer.ybase -= rows;
  buffer.ydisp = buffer.ybase;
  buffer.savedY = Math.max(0, buffer.savedY - rows);
  // The list keeps what it dropped until the place is used again; moving it to a new array lets the memory go.
  const { maxLength } = buffer.lines;
  buffer.lines.maxLength = maxLength - 1;
  buffer.lines.maxLength = maxLength;
}

/** The rows of the screen as text. */
export function screenText(buffer: ScreenBuffer, rows: number): string[] {
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const line = buffer.lines.get(buffer.ybase + row);
    if (line !== undefined) lines.push(rowText(line));
  }
  return lines;
}

/** A packed line without its colours. */
export function plainText(line: string): string {
  return line
    .replace(/\x1b\[(\d+)C/g, (_, columns: string) => " ".repeat(Number(columns)))
    .replace(/\x1b\[[^@-~]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, "")
    .trimEnd();
}
