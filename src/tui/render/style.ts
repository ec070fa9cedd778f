/** Cell styles in the emulator's encoding, so that program output and the interface share one format. */

/** Foreground and background words; see `screen/sgr.ts` for the bits. */
export interface Style {
  readonly fg: number;
  readonly bg: number;
}

export interface Look {
  /** A palette index, or `#rrggbb`. */
  fg?: number | string;
  bg?: number | string;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
}

const MODE_16 = 0x100_0000;
const MODE_256 = 0x200_0000;
const MODE_RGB = 0x300_0000;

export const INVERSE = 0x400_0000;
const BOLD = 0x800_0000;
const UNDERLINE = 0x1000_0000;
const ITALIC = 0x400_0000;
const DIM = 0x800_0000;

/** The colour bits of a word. */
export const COLOR_BITS = 0x3ff_ffff;

export const PLAIN: Style = { fg: 0, bg: 0 };

export function style({ fg, bg, bold, dim, italic, underline, inverse }: Look): Style {
  return {
    fg: (color(fg) | (bold ? BOLD : 0) | (underline ? UNDERLINE : 0) | (inverse ? INVERSE : 0)) >>> 0,
    bg: (color(bg) | (dim ? DIM : 0) | (italic ? ITALIC : 0)) >>> 0,
  };
}

function color(value: number | string | undefined): number {
  if (value === undefined) return 0;
  if (typeof value === "string") return MODE_RGB | Number.parseInt(value.slice(1), 16);
  return value < 16 ? MODE_16 | value : MODE_256 | value;
}
