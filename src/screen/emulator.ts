/**
 * The only file that uses xterm.js. It also names internal parts: bytes must be parsed synchronously, and a snapshot needs cells,
 * margins, tab stops and saved cursors. The version is pinned.
 */
import { Terminal } from "@xterm/headless";
import type { EmulatorCore } from "./emulator-core.ts";
import { boundRepetitions, eraseAboveFromLastCell, speedUpLines } from "./emulator-patches.ts";
import { printFast } from "./fast-print.ts";
import { useGraphemeWidths } from "./grapheme-widths.ts";

export type { Charset, EmulatorCore, ExtendedAttributes, Line, Pen, ScreenBuffer } from "./emulator-core.ts";

export interface Emulator {
  readonly terminal: Terminal;
  readonly core: EmulatorCore;
  /** At once; the terminal's own `write` parses later. */
  parse(data: Uint8Array): void;
}

export function createEmulator(cols: number, rows: number, scrollback: number): Emulator {
  const terminal = new Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: "off" });
  const widths = useGraphemeWidths(terminal);
  const { _core: core } = terminal as unknown as { _core: EmulatorCore };
  printFast(core, widths);
  terminal.parser.registerCsiHandler({ final: "J" }, ([what]) => what === 1 && eraseAboveFromLastCell(core));
  speedUpLines(core);
  boundRepetitions(terminal, core);
  return { terminal, core, parse: (data) => void core._inputHandler.parse(data) };
}
