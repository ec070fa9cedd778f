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
const JOINS = 1;

/** The kind that joins nothing and is joined by marks only, and the kind that joins whatever follows. */
const OTHER = 0;
const PREPEND = 1;

/** An ordinary character of width 1, as the tables would give it after anything ordinary. */
const PLAIN = 1 << 1;

/** Of a code point in the memory: not looked at yet, or not ordinary. Otherwise its value. */
const UNKNOWN = 0;
const SPECIAL = 0xff;

export function useGraphemeWidths(terminal: Terminal): void {
  const widths = new GraphemeWidths();
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
}

export class GraphemeWidths implements IUnicodeVersionProvider {
  readonly version = "15-graphemes";
  private ordinary: Uint8Array | undefined;

  charProperties(codePoint: number, preceding: number): number {
    if (((preceding >> KIND_SHIFT) & KIND) !== PREPEND) {
      if (codePoint >= 0x20 && codePoint < 0x7f) return PLAIN;
      const value = codePoint < 0x1_0000 ? this.remembered(codePoint) : SPECIAL;
      if (value !== SPECIAL) return value;
    }
    return tables().charProperties(codePoint, preceding);
  }

  wcwidth(codePoint: number): 0 | 1 | 2 {
    return codePoint >= 0x20 && codePoint < 0x7f ? 1 : tables().wcwidth(codePoint);
  }

  private remembered(codePoint: number): number {
    // Pages of it that are never touched take no memory.
    this.ordinary ??= new Uint8Array(0x1_0000);
    const known = this.ordinary[codePoint] ?? SPECIAL;
    if (known !== UNKNOWN) return known;
    const value = tables().charProperties(codePoint, PLAIN);
    const isOrdinary = ((value >> KIND_SHIFT) & KIND) === OTHER && (value & JOINS) === 0;
    const remember = isOrdinary ? value & ((1 << KIND_SHIFT) - 1) : SPECIAL;
    this.ordinary[codePoint] = remember;
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
