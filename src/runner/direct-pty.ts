/** Terminals in this process, with the interface of those behind a socket. They end with the process. */
import { AgentMuxError } from "../core/errors.ts";
import { isSize, type PtyInfo } from "../protocol/frames.ts";
import { launchSpec } from "../protocol/launch-spec.ts";
import type { CreatePty, PtyService, PtyWatch, PtyWatcher } from "../protocol/pty-service.ts";
import { endProgram } from "./end-program.ts";
import { Session, type SessionListener } from "./session.ts";
import type { Terminal } from "./terminal.ts";
import type { Viewer, ViewerSink } from "./viewer.ts";

export interface DirectPtyOptions {
  env: Readonly<Record<string, string>>;
  historyLines?: number;
  onFailure?: (error: unknown) => void;
}

export class DirectPty implements PtyService {
  private readonly session: Session;
  private readonly shell: readonly string[];

  constructor(options: DirectPtyOptions) {
    this.shell = [options.env["SHELL"] ?? "/bin/sh"];
    const spec = launchSpec({
      id: "direct",
      command: this.shell,
      cwd: "/",
      created_at: new Date().toISOString(),
      ...(options.historyLines === undefined ? {} : { history_lines: options.historyLines }),
    });
    this.session = new Session(spec, options.env, SILENT, options.onFailure ?? (() => undefined));
  }

  create({ cols, rows, cwd, command = this.shell }: CreatePty): Promise<string> {
    try {
      return Promise.resolve(this.session.create({ command, cwd, cols, rows }).id);
    } catch (error) {
      return Promise.reject(new AgentMuxError("PTY_NOT_AVAILABLE", (error as Error).message, { cause: error }));
    }
  }

  list(): readonly PtyInfo[] {
    return [...this.session.terminals.values()].map(({ id: ptyId, cols, rows, cwd, pty, ring, exit }) => {
      const info = { ptyId, cols, rows, cwd, pid: pty.pid, seq: ring.end };
      return exit === undefined ? info : { ...info, exitCode: exit.exitCode };
    });
  }

  watch(ptyId: string, watcher: PtyWatcher, since?: number): PtyWatch {
    const terminal = this.terminal(ptyId);
    let viewer: Viewer | undefined;
    let stopped = false;
    // As over a socket, nothing is delivered before the caller has the result.
    queueMicrotask(() => {
      if (!stopped) viewer = terminal.attach(sinkOf(watcher), { since });
    });
    const withViewer = (act: (viewer: Viewer) => void): void => queueMicrotask(() => viewer && act(viewer));
    return {
      requestHistory: (lines) => withViewer((current) => sendHistory(terminal, current, watcher, lines)),
      focus: () => withViewer((current) => terminal.focus(current)),
      resize: (cols, rows) => {
        if (isSize({ cols, rows })) withViewer((current) => terminal.propose(current, { cols, rows }));
      },
      write: (data) => withViewer((current) => terminal.write(bytesOf(data), current)),
      stop: () => {
        stopped = true;
        if (viewer !== undefined) terminal.detach(viewer);
      },
    };
  }

  write(ptyId: string, data: string | Uint8Array): void {
    this.session.terminals.get(ptyId)?.write(bytesOf(data));
  }

  async destroy(ptyId: string): Promise<void> {
    await endProgram(this.terminal(ptyId));
  }

  async close(): Promise<void> {
    await this.session.kill();
  }

  private terminal(ptyId: string): Terminal {
    const terminal = this.session.terminals.get(ptyId);
    if (terminal === undefined) throw new AgentMuxError("PTY_NOT_AVAILABLE", `There is no terminal ${ptyId}.`);
    return terminal;
  }
}

function sendHistory(terminal: Terminal, viewer: Viewer, watcher: PtyWatcher, lines: number): void {
  viewer.refresh();
  const pieces = terminal.historyPieces(lines).map((piece) => piece.split());
  let remaining = pieces.reduce((sum, piece) => sum + piece.length, 0);
  for (const piece of pieces.length === 0 ? [[]] : pieces) {
    remaining -= piece.length;
    watcher.onHistory?.(piece, remaining);
  }
}

function sinkOf(watcher: PtyWatcher): ViewerSink {
  return {
    congested: false,
    picture: (picture, seq) => watcher.onSnapshot({ ...picture, seq }),
    // The ring buffer is reused; a watcher may keep its data.
    output: (pieces, seq) => watcher.onOutput(Buffer.concat(pieces), seq),
    resized: ({ cols, rows }) => watcher.onResize?.(cols, rows),
    exited: ({ exitCode, signal }) => watcher.onExit(exitCode, signal),
  };
}

function bytesOf(data: string | Uint8Array): Buffer {
  return Buffer.from(data as string);
}

const nothing = (): void => undefined;
export const SILENT: SessionListener = {
  onCreated: nothing,
  onTerminalExit: nothing,
  onChange: nothing,
  onViewer: nothing,
  onOutput: nothing,
  onCalm: nothing,
  onResize: nothing,
  onKill: nothing,
  onEnd: nothing,
};
