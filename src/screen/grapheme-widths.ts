/**
 * Which characters are wide and which join the one before: Unicode 15 with grapheme clusters. Loading the tables takes
 * as long as starting Node, and many sessions never print anything but ASCII, so they come with the first other
 * character. What most characters are, ordinary ones that join nothing, is remembered: the tables are slow.
 */
import { createRequire } from "node:module";
import type { IUnicodeVersionProvider, Terminal } from "@xterm/headless";

// A value of the tables: bit 0 says that the character joins the one before, bits 1 and 2 are the width, the rest is
// what kind of character it was, of which the lower four bits matter for the next.
const KIND_SHIFT = 3;
const KIND = 0xf;

/** The kind that joins nothing and is joined by marks only, and the kind that joins whatever follows. */
const OTHER = 0;
const PREPEND = 1;

/** An ordinary character of width 1 and of width 2, as the tables would give them after anything ordinary. */
export const ORDINARY_NARROW = 1 << 1;
const ORDINARY_WIDE = 2 << 1;

/** Of a code point in the memory: not looked at yet, or not ordinary. Otherwise its value. */
const UNKNOWN = 0;
const SPECIAL = 0xff;
export const NOT_ORDINARY = SPECIAL;

export function useGraphemeWidths(terminal: Terminal): GraphemeWidths {
  const widths = new GraphemeWidths();
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
  return widths;
}

/** Whether the character with this value may join the one after it, whatever that is. */
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

  /** The value of a character of width 1 or 2 that joins nothing, after any that does not join it; else NOT_ORDINARY. */
  ordinary(codePoint: number): number {
    if (codePoint >= 0x20 && codePoint < 0x7f) return ORDINARY_NARROW;
    return codePoint < 0x1_0000 ? this.remembered(codePoint) : NOT_ORDINARY;
  }

  wcwidth(codePoint: number): 0 | 1 | 2 {
    return codePoint >= 0x20 && codePoint < 0x7f ? 1 : tables().wcwidth(codePoint);
  }

  private remembered(codePoint: number): number {
    // Pages of it that are never touched take no memory.
    this.known ??= new Uint8Array(0x1_0000);
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

let loaded: IUnicodeVersionProvider | undefined;

/** The real ones. */
export function tables(): IUnicodeVersionProvider {
  loaded ??= loadTables();
  return loaded;
}

interface GraphemesModule {
  UnicodeGraphemesAddon: new () => { activate(terminal: Pick<Terminal, "unicode">): void };
}

function loadTables(): IUnicodeVersionProvider {
  const { poolSize } = Buffer;
  // The addon (0.4.0) decodes its tables from the beginning of the memory behind a small Buffer. Node puts small
  // Buffers somewhere into a shared pool; the decoder would read foreign bytes there and never end.
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
