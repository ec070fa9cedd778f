/** Terminals of a session in a process of its own, through its socket. */
import { AgentMuxError } from "../core/errors.ts";
import type { PtyInfo } from "../protocol/frames.ts";
import type { CreatePty, PtyService, PtyWatch, PtyWatcher } from "../protocol/pty-service.ts";
import type { ShimConnection, ShimEvent } from "./shim-connection.ts";

export class ShimPty implements PtyService {
  private readonly connection: ShimConnection;

  constructor(connection: ShimConnection) {
    this.connection = connection;
  }

  create({ cols, rows, cwd, command }: CreatePty): Promise<string> {
    return this.connection.create({ cols, rows, cwd, ...(command === undefined ? {} : { command: [...command] }) });
  }

  list(): readonly PtyInfo[] {
    return this.connection.ptys();
  }

  watch(ptyId: string, watcher: PtyWatcher, since?: number): PtyWatch {
    this.check(ptyId);
    const { connection } = this;
    const unsubscribe = connection.subscribe((event) => hand(event, ptyId, watcher));
    connection.send(since === undefined ? { _tag: "attach", ptyId } : { _tag: "attach", ptyId, since });
    return {
      requestHistory: (lines) => connection.send({ _tag: "history", ptyId, lines }),
      focus: () => connection.send({ _tag: "focus", ptyId }),
      resize: (cols, rows) => connection.send({ _tag: "resize", ptyId, cols, rows }),
      write: (data) => this.write(ptyId, data),
      stop: () => {
        unsubscribe();
        connection.send({ _tag: "detach", ptyId });
      },
    };
  }

  write(ptyId: string, data: string | Uint8Array): void {
    this.connection.input(ptyId, typeof data === "string" ? Buffer.from(data) : data);
  }

  destroy(ptyId: string): Promise<void> {
    const pty = this.check(ptyId);
    if (pty.exitCode !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const unsubscribe = this.connection.subscribe((event) => {
        const gone = event._tag === "closed" || (event._tag === "exit" && event.ptyId === ptyId);
        if (!gone) return;
        unsubscribe();
        resolve();
      });
      this.connection.send({ _tag: "destroy", ptyId });
    });
  }

  async close(): Promise<void> {
    this.connection.close();
  }

  private check(ptyId: string): PtyInfo {
    const pty = this.connection.ptys().find((known) => known.ptyId === ptyId);
    if (pty === undefined) throw new AgentMuxError("PTY_NOT_AVAILABLE", `There is no terminal ${ptyId}.`);
    return pty;
  }
}

function hand(event: ShimEvent, ptyId: string, watcher: PtyWatcher): void {
  if (!("ptyId" in event) || event.ptyId !== ptyId) return;
  switch (event._tag) {
    case "snapshot":
      return watcher.onSnapshot(event.state);
    case "output":
      return watcher.onOutput(event.data, event.seq);
    case "resized":
      return watcher.onResize?.(event.cols, event.rows);
    case "history":
      return watcher.onHistory?.(event.lines, event.remaining);
    case "exit":
      return watcher.onExit(event.exitCode, event.signal);
    default:
      return undefined;
  }
}
