/**
 * One watcher of one terminal, on a connection of its own, so that the output of two watchers cannot mix. Calls before the
 * connection is open are queued.
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
  /** The runner has started to answer our watch request. */
  private isAnswered = false;
  /** An exit reported earlier: the last output, and the exit again, are still to come. */
  private earlyExit: (() => void) | undefined;

  constructor(ptyId: string, watcher: PtyWatcher) {
    this.ptyId = ptyId;
    this.watcher = watcher;
  }

  /** Connects to the same process as the given connection only. Fails silently: then the session has ended. */
  async open(control: ShimConnection, since: number | undefined): Promise<void> {
    const connection = await openShimConnection(control.path, { incarnation: control.incarnation });
    if (this.stopped) return connection.close();
    this.connection = connection;
    connection.subscribe((event) => this.hand(event));
    connection.send(since === undefined ? this.about("attach") : { ...this.about("attach"), since });
    connection.send({ _tag: "ping" });
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
    if (this.stopped) return;
    if (event._tag === "pong" || event._tag === "closed") return this.answered();
    if (!("ptyId" in event) || event.ptyId !== this.ptyId) return;
    if (event._tag === "exit") return this.exited(event);
    this.isAnswered = true;
    switch (event._tag) {
      case "snapshot":
        return this.watcher.onSnapshot(event.state);
      case "output":
        return this.watcher.onOutput(event.data, event.seq);
      case "resized":
        return this.watcher.onResize?.(event.cols, event.rows);
      case "history":
        return this.watcher.onHistory?.(event.lines, event.remaining);
      default:
        return undefined;
    }
  }

  private exited({ exitCode, signal }: Extract<ShimEvent, { _tag: "exit" }>): void {
    const tell = (): void => this.watcher.onExit(exitCode, signal);
    const isAgain = this.earlyExit !== undefined;
    this.earlyExit = undefined;
    if (this.isAnswered || isAgain) tell();
    else this.earlyExit = tell;
  }

  /** If the exit was the whole answer, report it now. */
  private answered(): void {
    this.isAnswered = true;
    this.earlyExit?.();
    this.earlyExit = undefined;
  }
}
