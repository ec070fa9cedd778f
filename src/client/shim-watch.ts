/**
 * One watcher of one terminal behind a socket, on a connection of its own: what it is told cannot be mixed up with
 * what another watcher, or an earlier one, of the same terminal is told. What the caller does before the connection
 * is there waits for it.
 */
import type { ClientFrame } from "../protocol/frames.ts";
import type { PtyWatch, PtyWatcher } from "../protocol/pty-service.ts";
import { openShimConnection } from "./open-shim-connection.ts";
import type { ShimConnection, ShimEvent } from "./shim-connection.ts";

type Act = (connection: ShimConnection) => void;

export class ShimWatch implements PtyWatch {
  private readonly ptyId: string;
  private readonly watcher: PtyWatcher;
  private connection: ShimConnection | undefined;
  private waiting: Act[] = [];
  private stopped = false;

  constructor(ptyId: string, watcher: PtyWatcher) {
    this.ptyId = ptyId;
    this.watcher = watcher;
  }

  /** To the process the given connection leads to, and no other. Fails silently: the watched session is over then. */
  async open(control: ShimConnection, since: number | undefined): Promise<void> {
    const connection = await openShimConnection(control.path, { incarnation: control.incarnation });
    if (this.stopped) return connection.close();
    this.connection = connection;
    connection.subscribe((event) => this.hand(event));
    connection.send(since === undefined ? this.about("attach") : { ...this.about("attach"), since });
    for (const act of this.waiting) act(connection);
    this.waiting = [];
  }

  requestHistory(lines: number): void {
    this.act((connection) => connection.send({ _tag: "history", ptyId: this.ptyId, lines }));
  }

  focus(): void {
    this.act((connection) => connection.send(this.about("focus")));
  }

  resize(cols: number, rows: number): void {
    this.act((connection) => connection.send({ _tag: "resize", ptyId: this.ptyId, cols, rows }));
  }

  write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    this.act((connection) => connection.input(this.ptyId, bytes));
  }

  stop(): void {
    this.stopped = true;
    this.connection?.close();
  }

  private act(act: Act): void {
    if (this.connection === undefined) this.waiting.push(act);
    else act(this.connection);
  }

  private about<Tag extends "attach" | "focus">(tag: Tag): Extract<ClientFrame, { _tag: Tag }> {
    return { _tag: tag, ptyId: this.ptyId } as Extract<ClientFrame, { _tag: Tag }>;
  }

  private hand(event: ShimEvent): void {
    if (this.stopped || !("ptyId" in event) || event.ptyId !== this.ptyId) return;
    switch (event._tag) {
      case "snapshot":
        return this.watcher.onSnapshot(event.state);
      case "output":
        return this.watcher.onOutput(event.data, event.seq);
      case "resized":
        return this.watcher.onResize?.(event.cols, event.rows);
      case "history":
        return this.watcher.onHistory?.(event.lines, event.remaining);
      case "exit":
        return this.watcher.onExit(event.exitCode, event.signal);
      default:
        return undefined;
    }
  }
}
