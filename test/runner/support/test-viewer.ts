/** A viewer with its own emulator, like a browser or another terminal. */
import type { PtyService, PtyWatch } from "../../../src/protocol/pty-service.ts";
import type { TerminalState } from "../../../src/protocol/frames.ts";
import { createEmulator, type Emulator } from "../../../src/screen/emulator.ts";
import { askOnFailure, waitFor } from "../../support/wait-for.ts";

const HISTORY_LINES = 10_000;

export class Watching {
  readonly watch: PtyWatch;
  emulator: Emulator | undefined;
  /** All output received, in order. */
  output: Buffer[] = [];
  snapshots: TerminalState[] = [];
  sizes: [number, number][] = [];
  exits: number[] = [];
  seq = 0;

  constructor(service: PtyService, ptyId = "pty-1", since?: number) {
    askOnFailure(() => `A viewer of ${ptyId} sees\n${this.screen().join("\n").trimEnd()}`);
    this.watch = service.watch(
      ptyId,
      {
        onSnapshot: (state) => this.begin(state),
        onOutput: (data, seq) => this.take(Buffer.from(data), seq),
        onResize: (cols, rows) => {
          this.sizes.push([cols, rows]);
          this.emulator?.terminal.resize(cols, rows);
        },
        onExit: (code) => this.exits.push(code),
      },
      since,
    );
  }

  text(): string {
    return Buffer.concat(this.output).toString("utf8");
  }

  /** Waits until the runner has nothing more for it. */
  async caughtUp(wanted: () => number | Promise<number>): Promise<void> {
    await waitFor("the viewer to catch up", async () => this.seq >= (await wanted()));
  }

  async sees(wanted: string): Promise<void> {
    await waitFor(`"${wanted}" on the viewer's screen`, () => this.screen().some((line) => line.includes(wanted)));
  }

  screen(): string[] {
    const { emulator } = this;
    if (emulator === undefined) return [];
    const { active } = emulator.terminal.buffer;
    return Array.from(
      { length: emulator.terminal.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? "",
    );
  }

  private begin(state: TerminalState): void {
    this.snapshots.push(state);
    this.emulator = createEmulator(state.cols, state.rows, HISTORY_LINES);
    this.emulator.core._inputHandler.parse(Buffer.from(state.screen));
    this.seq = state.seq;
  }

  private take(data: Buffer, seq: number): void {
    this.output.push(data);
    this.seq = seq;
    this.emulator?.core._inputHandler.parse(data);
  }
}
