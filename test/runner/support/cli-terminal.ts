/** The built command in its own terminal, with an emulator to read the screen. */
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../../src/screen/emulator.ts";
import { Pty } from "../../../src/runner/pty.ts";
import { askOnFailure, waitFor } from "../../support/wait-for.ts";

const AMUX = join(import.meta.dirname, "../../../dist/amux.cjs");

export class CliTerminal {
  readonly pty: Pty;
  readonly emulator: Emulator;
  exitCode: number | undefined;
  /** All output. */
  written = "";

  constructor(
    args: readonly string[],
    home: string,
    size = { cols: 100, rows: 30 },
    vars: Record<string, string> = {},
    /** A program that starts it. */
    through: readonly string[] = [],
    /** Path of Node. */
    node = process.execPath,
  ) {
    this.emulator = createEmulator(size.cols, size.rows, 1000);
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      AMUX_HOME: home,
      TERM: "xterm-256color",
      SHELL: "/bin/sh",
      ...vars,
    };
    this.pty = new Pty(
      { command: [...through, node, AMUX, ...args], cwd: home, env, ...size },
      {
        onData: (data) => {
          this.written += data.toString("latin1");
          this.paint(data);
        },
        onExit: ({ exitCode }) => (this.exitCode = exitCode),
      },
    );
    askOnFailure(() => `The screen of amux ${args.join(" ")} is\n${this.screen().join("\n").trimEnd()}`);
    // A real terminal answers queries.
    this.emulator.terminal.onData((answer) => this.type(answer));
  }

  type(text: string): void {
    this.pty.input.write(Buffer.from(text));
  }

  /** The bytes are valid only during the call. */
  protected paint(data: Buffer): void {
    this.emulator.core._inputHandler.parse(Buffer.from(data));
  }

  screen(): string[] {
    const { active } = this.emulator.terminal.buffer;
    const { rows } = this.emulator.terminal;
    return Array.from({ length: rows }, (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? "");
  }

  async sees(text: string): Promise<void> {
    await waitFor(`"${text}" in the terminal`, () => this.screen().some((line) => line.includes(text)));
  }

  async ended(): Promise<number> {
    return (
      await waitFor("the command to end", () => (this.exitCode === undefined ? undefined : { code: this.exitCode }))
    ).code;
  }
}
