/**
 * Terminals as a caller sees them, in this process or through a session's socket. Both back ends behave the same; one test suite
 * runs on both.
 */
import type { PtyInfo, TerminalState } from "./frames.ts";

export interface CreatePty {
  cols: number;
  rows: number;
  cwd: string;
  /** The user's shell if absent. */
  command?: readonly string[];
}

export interface PtyWatcher {
  /** Replaces everything sent before. Always the first call, unless output could be continued. */
  onSnapshot(state: TerminalState): void;
  /** `seq` is the offset after the data; a later `watch` can start there. */
  onOutput(data: Uint8Array, seq: number): void;
  onResize?(cols: number, rows: number): void;
  /** Called once, after the last output. */
  onExit(exitCode: number, signal?: string): void;
  /** Lines above the screen, preceded by a snapshot of the same moment; newest piece first. */
  onHistory?(lines: readonly string[], remaining: number): void;
}

export interface PtyWatch {
  /** Requests the newest lines above the screen. */
  requestHistory(lines: number): void;
  /** This watcher has the focus: its size applies. */
  focus(): void;
  /** The size of this watcher's window. */
  resize(cols: number, rows: number): void;
  /** Types; the typing watcher owns the size. */
  write(data: string | Uint8Array): void;
  stop(): void;
}

export interface PtyService {
  create(options: CreatePty): Promise<string>;
  list(): readonly PtyInfo[];
  /** Throws if there is no such terminal. */
  watch(ptyId: string, watcher: PtyWatcher, since?: number): PtyWatch;
  /** Types without watching. */
  write(ptyId: string, data: string | Uint8Array): void;
  /** Ends the terminal's program: SIGHUP first, then SIGKILL. Resolves when it is gone. */
  destroy(ptyId: string): Promise<void>;
  /** Direct: ends every program. Through a shim: leaves them running. */
  close(): Promise<void>;
}
