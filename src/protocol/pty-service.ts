/**
 * Terminals as a caller sees them, wherever they are: in this process, or in a session's own through its socket.
 * The two back ends behave alike; one test suite runs on both.
 */
import type { PtyInfo, TerminalState } from "./frames.ts";

export interface CreatePty {
  cols: number;
  rows: number;
  cwd: string;
  /** The user's shell when absent. */
  command?: readonly string[];
}

export interface PtyWatcher {
  /** Everything anew: what was told before counts no more. Always the first call, unless output could be continued. */
  onSnapshot(state: TerminalState): void;
  /** `seq` is the offset after the data; a later `watch` can begin there. */
  onOutput(data: Uint8Array, seq: number): void;
  onResize?(cols: number, rows: number): void;
  /** Once, after the last output. */
  onExit(exitCode: number, signal?: string): void;
  /** Lines above the screen, a snapshot of the same moment before them; newest piece first. */
  onHistory?(lines: readonly string[], remaining: number): void;
}

export interface PtyWatch {
  /** Asks for the newest lines above the screen. */
  requestHistory(lines: number): void;
  /** This watcher is being looked at: its size counts. */
  focus(): void;
  /** The size of this watcher's window. */
  resize(cols: number, rows: number): void;
  /** Types; whoever types owns the size. */
  write(data: string | Uint8Array): void;
  stop(): void;
}

export interface PtyService {
  create(options: CreatePty): Promise<string>;
  list(): readonly PtyInfo[];
  /** Throws when there is no such terminal. */
  watch(ptyId: string, watcher: PtyWatcher, since?: number): PtyWatch;
  /** Types without watching. */
  write(ptyId: string, data: string | Uint8Array): void;
  /** Ends the terminal's program: asks first, forces then. Resolves when it is gone. */
  destroy(ptyId: string): Promise<void>;
  /** Direct: ends every program. Through a shim: leaves them running. */
  close(): Promise<void>;
}
