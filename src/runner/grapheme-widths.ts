/**
 * Which characters are wide and which join the one before: Unicode 15 with grapheme clusters. Loading the tables takes
 * as long as starting Node, and many sessions never print anything but ASCII, so they come with the first other character.
 */
import { createRequire } from "node:module";
import type { IUnicodeVersionProvider, Terminal } from "@xterm/headless";

/** The value of a plain narrow character: width 1, joins nothing. Its kind is in the bits from 3 up. */
const PLAIN = 2;
const KIND_SHIFT = 3;

export function useGraphemeWidths(terminal: Terminal): void {
  const widths = new LazyGraphemes();
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
}

class LazyGraphemes implements IUnicodeVersionProvider {
  readonly version = "15-graphemes";

  charProperties(codePoint: number, preceding: number): number {
    if (codePoint >= 0x20 && codePoint < 0x7f && preceding >> KIND_SHIFT === 0) return PLAIN;
    return tables().charProperties(codePoint, preceding);
  }

  wcwidth(codePoint: number): 0 | 1 | 2 {
    return codePoint >= 0x20 && codePoint < 0x7f ? 1 : tables().wcwidth(codePoint);
  }
}

let loaded: IUnicodeVersionProvider | undefined;

function tables(): IUnicodeVersionProvider {
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
    const { UnicodeGraphemesAddon } = createRequire(import.meta.url)("@xterm/addon-unicode-graphemes") as GraphemesModule;
    const found = new Map<string, IUnicodeVersionProvider>();
    const unicode = { versions: [], activeVersion: "", register: (tables: IUnicodeVersionProvider) => void found.set(tables.version, tables) };
    new UnicodeGraphemesAddon().activate({ unicode });
    const tables = found.get("15-graphemes");
    if (tables === undefined) throw new Error("@xterm/addon-unicode-graphemes has no table of that name.");
    return tables;
  } finally {
    Buffer.poolSize = poolSize;
  }
}
