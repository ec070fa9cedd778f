/**
 * Character widths and joining by Unicode 15 grapheme clusters. The tables load slowly and are slow, so they load with the first
 * unusual character, and ordinary characters are cached.
 */
import { createRequire } from "node:module";
import type { IUnicodeVersionProvider, Terminal } from "@xterm/headless";

// A table value: bit 0 says that the character joins the previous one, bits 1 and 2 are the width, the rest is its kind.
const KIND_SHIFT = 3;
const KIND = 0xf;

/** The kind that joins nothing except marks, and the kind that joins whatever follows. */
const OTHER = 0;
const PREPEND = 1;

/** An ordinary character of width 1 or 2, as the tables give it after an ordinary one. */
export const ORDINARY_NARROW = 1 << 1;
const ORDINARY_WIDE = 2 << 1;

/** Cache values of a code point: unknown, or not ordinary. Otherwise its table value. */
const UNKNOWN = 0;
const SPECIAL = 0xff;
export const NOT_ORDINARY = SPECIAL;

/** Ordinary characters of width 1 that nearly every screen has, first and last of each range. */
export const USUAL: readonly (readonly [first: number, last: number])[] = [
  // Latin, Greek, Cyrillic.
  [0xaf, 0x2ff],
  [0x370, 0x482],
  // Dashes, quotes, bullets, ellipsis.
  [0x200e, 0x203b],
  // Arrows and mathematics.
  [0x213a, 0x2193],
  [0x21ab, 0x2319],
  // Boxes, blocks, triangles, circles.
  [0x24c3, 0x25a9],
  [0x25b7, 0x25bf],
  [0x25c1, 0x25fa],
  // Ticks and crosses.
  [0x2713, 0x2713],
  [0x2717, 0x2717],
  // Braille patterns, as in spinners.
  [0x2800, 0x28ff],
];

export function useGraphemeWidths(terminal: Terminal): GraphemeWidths {
  const widths = new GraphemeWidths();
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
  return widths;
}

/** Whether the character may join the next one, whatever it is. */
export function joinsNext(value: number): boolean {
  return ((value >> KIND_SHIFT) & KIND) === PREPEND;
}

export class GraphemeWidths implements IUnicodeVersionProvider {
  readonly version = "15-graphemes";
  private known: Uint8Array | undefined;

  charProperties(codePoint: number, preceding: number): number {
    if (!joinsNext(preceding)) {
      const value = this.ordinary(codePoint);
      if (value !== NOT_ORDINARY) return value;
    }
    return tables().charProperties(codePoint, preceding);
  }

  /** Table value of an ordinary character of width 1 or 2; otherwise NOT_ORDINARY. */
  ordinary(codePoint: number): number {
    if (codePoint >= 0x20 && codePoint < 0x7f) return ORDINARY_NARROW;
    return codePoint < 0x1_0000 ? this.remembered(codePoint) : NOT_ORDINARY;
  }

  wcwidth(codePoint: number): 0 | 1 | 2 {
    return codePoint >= 0x20 && codePoint < 0x7f ? 1 : tables().wcwidth(codePoint);
  }

  private remembered(codePoint: number): number {
    // Untouched pages take no memory.
    this.known ??= usual();
    const known = this.known[codePoint] ?? SPECIAL;
    if (known !== UNKNOWN) return known;
    const value = tables().charProperties(codePoint, ORDINARY_NARROW);
    const lone = value & ((1 << KIND_SHIFT) - 1);
    const isOrdinary = ((value >> KIND_SHIFT) & KIND) === OTHER && (lone === ORDINARY_NARROW || lone === ORDINARY_WIDE);
    const remember = isOrdinary ? lone : SPECIAL;
    this.known[codePoint] = remember;
    return remember;
  }
}

function usual(): Uint8Array {
  const known = new Uint8Array(0x1_0000);
  for (const [first, last] of USUAL) known.fill(ORDINARY_NARROW, first, last + 1);
  return known;
}

let loaded: IUnicodeVersionProvider | undefined;

/** The real tables. */
export function tables(): IUnicodeVersionProvider {
  loaded ??= loadTables();
  return loaded;
}

interface GraphemesModule {
  UnicodeGraphemesAddon: new () => { activate(terminal: Pick<Terminal, "unicode">): void };
}

function loadTables(): IUnicodeVersionProvider {
  const { poolSize } = Buffer;
  // The addon (0.4.0) reads its tables from offset 0 of a small Buffer's memory. In Node's shared pool it would read foreign
  // bytes and never end.
  Buffer.poolSize = 0;
  try {
    const module = createRequire(import.meta.url)("@xterm/addon-unicode-graphemes") as GraphemesModule;
    const found = new Map<string, IUnicodeVersionProvider>();
    const register = (provider: IUnicodeVersionProvider): void => void found.set(provider.version, provider);
    new module.UnicodeGraphemesAddon().activate({ unicode: { versions: [], activeVersion: "", register } });
    const provider = found.get("15-graphemes");
    if (provider === undefined) throw new Error("@xterm/addon-unicode-graphemes has no table of that name.");
    return provider;
  } finally {
    Buffer.poolSize = poolSize;
  }
}
