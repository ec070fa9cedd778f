/** Converts a cell's attributes to the escape sequence that selects them. */
import type { ExtendedAttributes } from "./emulator-core.ts";

// Colour modes, bits 24 and 25 of both words.
const MODE_MASK = 0x300_0000;
const MODE_16 = 0x100_0000;
const MODE_256 = 0x200_0000;
const MODE_RGB = 0x300_0000;

/** Index of a palette colour; the emulator leaves bits of an earlier RGB colour above it. */
const PALETTE = 0xff;

// Flags of the foreground word.
const INVERSE = 0x400_0000;
const BOLD = 0x800_0000;
const UNDERLINE = 0x1000_0000;
const BLINK = 0x2000_0000;
const INVISIBLE = 0x4000_0000;
const STRIKETHROUGH = 0x8000_0000;

// Flags of the background word.
const ITALIC = 0x400_0000;
const DIM = 0x800_0000;
export const HAS_EXTENDED = 0x1000_0000;
const OVERLINE = 0x4000_0000;

/** The part of a background word that erasing applies. */
export const BACKGROUND_COLOR = 0x3ff_ffff;

const SINGLE_UNDERLINE = 1;

/** `CSI … m` that selects exactly these attributes, whatever was active. */
export function sgr(fg: number, bg: number, extended: ExtendedAttributes | undefined): string {
  if (fg === 0 && bg === 0) return "\x1b[m";
  let codes = "\x1b[0";
  if (fg & BOLD) codes += ";1";
  if (bg & DIM) codes += ";2";
  if (bg & ITALIC) codes += ";3";
  if (fg & UNDERLINE) codes += underline(extended);
  if (fg & BLINK) codes += ";5";
  if (fg & INVERSE) codes += ";7";
  if (fg & INVISIBLE) codes += ";8";
  if (fg & STRIKETHROUGH) codes += ";9";
  if (bg & OVERLINE) codes += ";53";
  codes += color(fg, 30, 90, 38);
  codes += color(bg, 40, 100, 48);
  if (extended !== undefined && bg & HAS_EXTENDED) codes += underlineColor(extended._ext);
  return `${codes}m`;
}

function underline(extended: ExtendedAttributes | undefined): string {
  const style = ((extended?._ext ?? 0) >>> 26) & 7;
  return style <= SINGLE_UNDERLINE ? ";4" : `;4:${style}`;
}

// Semicolons instead of the standard's colons: every terminal understands them.
function color(word: number, dark: number, bright: number, extended: number): string {
  const index = word & PALETTE;
  switch (word & MODE_MASK) {
    case MODE_16:
      return `;${index < 8 ? dark + index : bright + index - 8}`;
    case MODE_256:
      return `;${extended};5;${index}`;
    case MODE_RGB:
      return `;${extended};2;${(word >>> 16) & 0xff};${(word >>> 8) & 0xff};${word & 0xff}`;
    default:
      return "";
  }
}

// Colons here: a terminal without coloured underlines skips the parameter instead of reading 2 as "dim".
function underlineColor(word: number): string {
  switch (word & MODE_MASK) {
    case MODE_256:
      return `;58:5:${word & PALETTE}`;
    case MODE_RGB:
      return `;58:2::${(word >>> 16) & 0xff}:${(word >>> 8) & 0xff}:${word & 0xff}`;
    default:
      return "";
  }
}
