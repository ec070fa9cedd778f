/** Copies an emulator's screen into a grid. It runs for every frame, so it works on packed words. */
import type { EmulatorCore, ExtendedAttributes, Line } from "../../screen/emulator.ts";
import { CELL, COMBINED, combinedTexts, EMPTY, type Grid } from "./grid.ts";
import { Interned } from "./interned.ts";

const WORDS = 3;
const HAS_EXTENDED = 0x1000_0000;
/** The visible attributes in the background word, without the emulator's internal flags. */
const SHOWN = 0xdfff_ffff;
const MODE = 0x300_0000;
const MODE_RGB = 0x300_0000;
/** The index of a palette colour; the emulator leaves bits of an earlier RGB colour in the word. */
const PALETTE_REMAINS = 0x00ff_ff00;
const UNDERLINE = 0x1000_0000;

/** Attributes outside the colour words: underline style and colour, and the link. */
export interface Extras {
  ext: number;
  link: string;
}

export const extras = new Interned<Extras>();

/** Copies line `row` into row `y` of the grid and clears the rest of the row. */
export function copyLine(core: EmulatorCore, line: Line | undefined, grid: Grid, y: number): void {
  const { cells, width } = grid;
  const count = line === undefined ? 0 : Math.min(width, line.length);
  let to = y * width * CELL;
  if (line !== undefined) {
    const data = line._data;
    for (let x = 0, from = 0; x < count; x++, from += WORDS, to += CELL) {
      let content = data[from] as number;
      let fg = data[from + 1] as number;
      let bg = data[from + 2] as number;
      if ((content & COMBINED) !== 0) content = combined(line, x, content);
      if ((fg & MODE) !== MODE_RGB) fg &= ~PALETTE_REMAINS;
      if ((bg & MODE) !== MODE_RGB) bg &= ~PALETTE_REMAINS;
      cells[to] = content;
      cells[to + 1] = fg;
      cells[to + 2] = bg & SHOWN & ~HAS_EXTENDED;
      cells[to + 3] = (bg & HAS_EXTENDED) === 0 ? 0 : extrasId(core, line._extendedAttrs[x], (fg & UNDERLINE) !== 0);
    }
    // A wide character cut at the edge of a narrower view.
    if (count > 0 && (cells[to - CELL] as number) >>> 22 === 2) cells[to - CELL] = EMPTY;
  }
  for (let x = count; x < width; x++, to += CELL) {
    cells[to] = EMPTY;
    cells[to + 1] = 0;
    cells[to + 2] = 0;
    cells[to + 3] = 0;
  }
}

function combined(line: Line, x: number, content: number): number {
  const text = line._combined[x] ?? " ";
  return ((content & ~0x3f_ffff) | COMBINED | combinedTexts.id(text)) >>> 0;
}

function extrasId(core: EmulatorCore, attributes: ExtendedAttributes | undefined, underlined: boolean): number {
  if (attributes === undefined) return 0;
  const ext = underlined ? attributes._ext : 0;
  const link = attributes.urlId === 0 ? "" : (core._oscLinkService.getLinkData(attributes.urlId)?.uri ?? "");
  return ext === 0 && link === "" ? 0 : extras.id({ ext, link }, `${ext} ${link}`);
}
