/**
 * Lines above the screen. The newest few hundred are emulator cells; older ones become deflated text with colours, 20 bytes a
 * line instead of 1,000. Text lines are joined, so that they wrap at any width.
 */
import { ByteSink } from "./byte-sink.ts";
import { backgroundAt, fillsRow, startsWideAt, trailingGap } from "./cells.ts";
import type { EmulatorCore, Line, ScreenBuffer } from "./emulator.ts";
import { RowPainter } from "./row-paint.ts";
import { countLines, HistoryPiece } from "./history-piece.ts";
import { SpilledRows } from "./spilled-rows.ts";

/** Rows above the screen kept as cells: a resize restores those exactly. */
export const KEPT_ROWS = 200;

/** Size of one pack; whole packs are dropped, so the limit can be exceeded by one. */
const PACK_BYTES = 65_536;
const PACK_LINES = 500;

/** Limit for wide and colourful lines (some 15 MB of text): the oldest packs are dropped, whatever the line limit. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;

/** Rows waiting to become text; beyond it the oldest are converted at once. 10,000 rows of 260 columns fit. */
const MAX_SPILLED_BYTES = 32 * 1024 * 1024;

/** Between lines, so that kept text can be written to a terminal unchanged. */
const LINE_END = "\r\n";
const NEWLINE = 0x0a;

/** Text of whole lines, deflated to a quarter. */
interface Pack {
  deflated: Buffer;
  lines: number;
}

export class History {
  private readonly core: EmulatorCore;
  private readonly limit: number;
  private readonly spilled = new SpilledRows();
  private packs: Pack[] = [];
  private packedLines = 0;
  private packedBytes = 0;
  /** The pack being filled. */
  private readonly open = new ByteSink();
  private openLines = 0;
  private readonly painter: RowPainter;
  /** For lines that stay cells. */
  private readonly scratch = new ByteSink();
  private readonly scratchPainter: RowPainter;

  constructor(core: EmulatorCore, limit: number) {
    this.core = core;
    this.limit = limit;
    this.painter = new RowPainter(core, this.open);
    this.scratchPainter = new RowPainter(core, this.scratch);
    this.watchScrolling();
  }

  /** Lines of text plus rows of cells; a wrapped line counts once as text, and by rows as cells. */
  get lines(): number {
    return Math.min(this.limit, this.total);
  }

  private get total(): number {
    return this.packedLines + this.openLines + this.spilled.rows + this.core.buffers.normal.ybase;
  }

  /** Whether the newest line continues in the screen's first row. */
  get continues(): boolean {
    const { normal } = this.core.buffers;
    return normal.ybase > 0 && normal.lines.get(normal.ybase)?.isWrapped === true;
  }

  clear(): void {
    this.spilled.clear();
    this.packs = [];
    this.packedLines = 0;
    this.packedBytes = 0;
    this.open.length = 0;
    this.openLines = 0;
  }

  /** The emulator would drop rows pushed out by a narrower screen; it gets more room first. */
  resize(cols: number, rows: number, resize: () => void): void {
    const { rawOptions } = this.core.optionsService;
    const { lines } = this.core.buffers.normal;
    const kept = rawOptions.scrollback;
    const rowsPerRow = Math.ceil((lines.get(0)?.length ?? cols) / cols);
    rawOptions.scrollback = lines.length * rowsPerRow + kept;
    resize();
    rawOptions.scrollback = kept;
    const { normal } = this.core.buffers;
    this.keepOnly(normal, kept);
    normal.lines.maxLength = rows + kept;
  }

  /** The newest lines in pieces, newest piece first. Their content never changes. */
  pieces(atMost: number): HistoryPiece[] {
    const max = Math.min(atMost, this.limit);
    if (max <= 0) return [];
    const { ybase } = this.core.buffers.normal;
    if (max <= ybase) {
      const cells = this.cellLines(ybase - max);
      return [new HistoryPiece(countLines(cells), max, () => cells)];
    }
    while (this.packSome());
    // The open pack may end inside a line that continues in the cells.
    const newest = Buffer.concat([this.open.bytes.subarray(0, this.open.length), this.cellLines(0)]);
    const pieces = newest.length === 0 ? [] : [new HistoryPiece(countLines(newest), max, () => newest)];
    let left = max - (pieces[0]?.lines ?? 0);
    for (let at = this.packs.length - 1; at >= 0 && left > 0; at--) {
      const { deflated, lines } = this.packs[at] as Pack;
      pieces.push(new HistoryPiece(lines, left, () => zlib().inflateRawSync(deflated)));
      left -= lines;
    }
    return pieces;
  }

  /** Runs for every line: a scroll in a full list drops its oldest line, which is saved first. */
  private watchScrolling(): void {
    const service = this.core._bufferService;
    const { scroll } = service;
    service.scroll = (eraseAttributes, isWrapped) => {
      const { buffer } = service;
      if (buffer.scrollTop === 0 && buffer.lines.isFull && buffer === this.core.buffers.normal) this.keepOldest(buffer);
      scroll.call(service, eraseAttributes, isWrapped);
    };
  }

  private keepOldest(buffer: ScreenBuffer): void {
    const line = buffer.lines.get(0);
    if (line === undefined) return;
    this.spilled.add(line);
    if (this.spilled.isFull) this.dropOld();
  }

  /** Number of `packSome` calls for the rows waiting now. */
  get waiting(): number {
    return this.spilled.chunkCount;
  }

  /** Converts some waiting rows to text; true if more remain. About half a millisecond of work. */
  packSome(): boolean {
    const after = this.core.buffers.normal.lines.get(0);
    this.spilled.takeOldest(after, (line, next) => this.addToPack(line, next));
    this.dropOld();
    return this.spilled.rows > 0;
  }

  private addToPack(line: Line, next: Line | undefined): void {
    this.add(this.painter, this.open, line, next);
    const isWhole = this.open.bytes[this.open.length - 1] === NEWLINE;
    const isLarge = this.open.length >= PACK_BYTES || this.openLines >= PACK_LINES;
    // Packs end with a line, unless one is endless.
    if ((isLarge && isWhole) || this.open.length > 2 * PACK_BYTES) this.closePack(isWhole);
  }

  private closePack(isWhole: boolean): void {
    if (!isWhole) {
      this.open.ascii(LINE_END);
      this.openLines++;
    }
    const deflated = this.open.take((text) => zlib().deflateRawSync(text, { level: 1 }));
    this.packs.push({ deflated, lines: this.openLines });
    this.packedLines += this.openLines;
    this.packedBytes += deflated.length;
    this.openLines = 0;
  }

  /** Drops from the old end: packs first, then the open pack, then unconverted rows. */
  private dropOld(): void {
    let surplus = this.total - this.limit;
    for (let [oldest] = this.packs; oldest !== undefined; [oldest] = this.packs) {
      if (oldest.lines > surplus && this.packedBytes <= MAX_PACKED_BYTES) break;
      this.packs.shift();
      this.packedLines -= oldest.lines;
      this.packedBytes -= oldest.deflated.length;
      surplus -= oldest.lines;
    }
    if (this.packs.length === 0 && this.openLines > 0 && this.openLines <= surplus) {
      surplus -= this.openLines;
      this.open.length = 0;
      this.openLines = 0;
    }
    while (
      this.openLines === 0 &&
      this.packs.length === 0 &&
      this.spilled.rows > 0 &&
      this.spilled.oldestRows <= surplus
    ) {
      surplus -= this.spilled.oldestRows;
      this.spilled.dropOldest();
      // It may hold the beginning of a line whose rest is gone.
      this.open.length = 0;
    }
    while (this.spilled.bytes > MAX_SPILLED_BYTES) this.packSome();
  }

  private add(painter: RowPainter, sink: ByteSink, line: Line, next: Line | undefined): void {
    // Scrolling up fills the new row with the current colour: a row that begins coloured must erase its gaps.
    painter.paint(line, line.isWrapped && backgroundAt(line, 0) !== 0);
    if (next?.isWrapped === true) sink.ascii(padding(line, next));
    else {
      sink.ascii(LINE_END);
      if (sink === this.open) this.openLines++;
    }
  }

  /** The cell rows above the screen as lines; the last one has no end if the screen continues it. */
  private cellLines(from: number): Buffer {
    const { normal } = this.core.buffers;
    for (let row = from; row < normal.ybase; row++) {
      const line = normal.lines.get(row);
      if (line !== undefined) this.add(this.scratchPainter, this.scratch, line, normal.lines.get(row + 1));
    }
    return this.scratch.take((bytes) => Buffer.from(bytes));
  }

  private keepOnly(buffer: ScreenBuffer, rows: number): void {
    const surplus = buffer.ybase - rows;
    if (surplus <= 0) return;
    for (let row = 0; row < surplus; row++) {
      const line = buffer.lines.get(row);
      if (line !== undefined) this.spilled.add(line);
    }
    buffer.lines.trimStart(surplus);
    buffer.ybase -= surplus;
    buffer.ydisp = buffer.ybase;
    buffer.savedY = Math.max(0, buffer.savedY - surplus);
    this.dropOld();
  }
}

/** Spaces that fill a row, so that the next one wraps as before. */
function padding(line: Line, next: Line): string {
  if (fillsRow(line)) return "";
  const gap = trailingGap(line);
  return gap === 1 && startsWideAt(next, 0) ? "" : " ".repeat(gap);
}

/** Loaded on demand: most sessions are short, and it takes a tenth of a runner's start. */
function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}
