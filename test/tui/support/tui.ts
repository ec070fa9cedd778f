/** The built command in a terminal, with keys by name and an emulator to read the screen. */
import { CELL, EMPTY, Grid } from "../../../src/tui/render/grid.ts";
import { copyLine } from "../../../src/tui/render/emulator-cells.ts";
import type { Emulator } from "../../../src/screen/emulator.ts";
import { CliTerminal } from "../../runner/support/cli-terminal.ts";
import { waitFor } from "../../support/wait-for.ts";

const KEYS: Readonly<Record<string, string>> = {
  enter: "\r",
  esc: "\x1b",
  tab: "\t",
  space: " ",
  up: "\x1b[A",
  down: "\x1b[B",
  backspace: "\x7f",
  "alt+esc": "\x1b\x1b",
  "ctrl+b": "\x02",
  "ctrl+n": "\x0e",
  "ctrl+p": "\x10",
  "ctrl+r": "\x12",
  "ctrl+x": "\x18",
  "ctrl+d": "\x04",
  f1: "\x1bOP",
  f2: "\x1bOQ",
  f3: "\x1bOR",
  f4: "\x1bOS",
  f5: "\x1b[15~",
  f6: "\x1b[17~",
  f8: "\x1b[19~",
  f9: "\x1b[20~",
  f10: "\x1b[21~",
  f11: "\x1b[23~",
};

const FRAME_BEGINS = "\x1b[?2026h";
const FRAME_ENDS = "\x1b[?2026l";

export class Tui extends CliTerminal {
  /** The first part of a frame, in Latin-1. */
  private unfinished = "";

  constructor(home: string, size = { cols: 120, rows: 30 }, vars: Record<string, string> = {}) {
    super([], home, size, { COLORTERM: "truecolor", ...vars });
  }

  /** `alt+h`, `enter`, `ctrl+b d`, or plain text. */
  press(...names: string[]): void {
    for (const name of names) this.type(bytesOf(name));
  }

  text(): string {
    return this.screen().join("\n");
  }

  async shows(wanted: string | RegExp): Promise<void> {
    await this.until(`${String(wanted)} on the screen`, (text) =>
      typeof wanted === "string" ? text.includes(wanted) : wanted.test(text),
    );
  }

  async hides(unwanted: string): Promise<void> {
    await this.until(`"${unwanted}" to go`, (text) => !text.includes(unwanted));
  }

  private async until(what: string, isSo: (text: string) => boolean): Promise<void> {
    await waitFor(what, () => isSo(this.text()));
  }

  /** Only whole frames: the system delivers a large one in pieces, and its program may be stopped between them. */
  protected override paint(data: Buffer): void {
    const all = this.unfinished + data.toString("latin1");
    const begun = all.lastIndexOf(FRAME_BEGINS);
    const whole = begun > all.lastIndexOf(FRAME_ENDS) ? begun : all.length;
    this.unfinished = all.slice(whole);
    super.paint(Buffer.from(all.slice(0, whole), "latin1"));
  }

  resize(cols: number, rows: number): void {
    this.emulator.terminal.resize(cols, rows);
    this.pty.resize(cols, rows);
  }

  async detach(): Promise<number> {
    this.press("ctrl+b", "d");
    return this.ended();
  }
}

function bytesOf(name: string): string {
  const known = KEYS[name];
  if (known !== undefined) return known;
  return name.startsWith("alt+") ? `\x1b${name.slice("alt+".length)}` : name;
}

const SPACE = EMPTY | 0x20;

/** What shows in a rectangle of an emulator; a space and an empty cell look the same. */
export function cellsOf({ core }: Emulator, x: number, y: number, width: number, height: number): number[][] {
  const { lines, ybase } = core.buffers.active;
  return Array.from({ length: height }, (_, row) => {
    const grid = new Grid(x + width, 1);
    copyLine(core, lines.get(ybase + y + row), grid, 0);
    return Array.from(grid.cells.subarray(x * CELL), (word, at) => (at % CELL === 0 && word === SPACE ? EMPTY : word));
  });
}
