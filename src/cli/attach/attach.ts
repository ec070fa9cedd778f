/** Attaches this terminal to a session. Detaching leaves the session running. */
import { constants } from "node:os";
import type { CloseReason, ShimConnection, ShimEvent } from "../../client/shim-connection.ts";
import { SessionOnTerminal } from "../../screen/session-on-terminal.ts";
import { RawTerminal } from "./raw-terminal.ts";

const PTY = "pty-1";

export interface AttachOptions {
  /** Watch only: neither type nor set the size. */
  readOnly: boolean;
}

export type AttachEnd =
  | { how: "detached" }
  | { how: "exited"; exitCode: number }
  | { how: "closed"; reason: CloseReason };

export async function attachTerminal(open: () => Promise<ShimConnection>, options: AttachOptions): Promise<AttachEnd> {
  const connection = await open();
  return new Promise((resolve) => new Attachment(connection, options, resolve).start());
}

class Attachment {
  private readonly connection: ShimConnection;
  private readonly options: AttachOptions;
  private readonly finish: (end: AttachEnd) => void;
  private readonly terminal: RawTerminal;
  private readonly view: SessionOnTerminal;
  private over = false;
  /** A picture has been shown. */
  private isShown = false;
  /** An exit reported earlier: the last output, and the exit again, are still to come. */
  private earlyExit: number | undefined;

  constructor(connection: ShimConnection, options: AttachOptions, finish: (end: AttachEnd) => void) {
    this.connection = connection;
    this.options = options;
    this.finish = finish;
    this.terminal = new RawTerminal({
      onEnd: (signal) => process.exit(128 + constants.signals[signal]),
      onContinue: () => this.show(),
    });
    this.view = new SessionOnTerminal(
      {
        write: (bytes) => this.write(bytes),
        input: (data) => connection.input(PTY, data),
        takeOver: () => connection.send({ _tag: "focus", ptyId: PTY }),
        redraw: () => this.attach(),
        detach: () => this.end({ how: "detached" }),
      },
      { ...this.terminal.size, readOnly: options.readOnly },
    );
  }

  start(): void {
    const { connection, terminal } = this;
    connection.subscribe((event) => this.hear(event));
    terminal.onInput((data) => this.view.typed(data));
    terminal.onResize(() => this.sizeChanged());
    terminal.onDrain(() => connection.hold(false));
    terminal.makeRoom();
    this.show();
  }

  private show(): void {
    if (this.over) return;
    this.attach();
    if (!this.options.readOnly) this.connection.send({ _tag: "focus", ptyId: PTY });
    this.terminal.read();
  }

  private attach(): void {
    // Before attaching, so that the first picture has our size; after it, so that we own the size.
    this.tellSize();
    this.connection.send({ _tag: "attach", ptyId: PTY });
    this.tellSize();
  }

  private hear(event: ShimEvent): void {
    if (this.over) return;
    switch (event._tag) {
      case "snapshot":
        this.isShown = true;
        return this.view.picture(event.state);
      case "output":
        return this.view.output(event.data);
      case "resized":
        return this.view.resized(event);
      case "exit":
        if (event.ptyId !== PTY) return undefined;
        if (this.isShown) return this.end({ how: "exited", exitCode: event.exitCode });
        this.earlyExit = event.exitCode;
        return undefined;
      case "closed":
        if (this.earlyExit !== undefined) return this.end({ how: "exited", exitCode: this.earlyExit });
        return this.end({ how: "closed", reason: event.reason });
      default:
        return undefined;
    }
  }

  private write(data: Uint8Array): void {
    // For a slow terminal the runner skips to a fresh picture instead of filling memory here.
    if (!this.terminal.write(data)) this.connection.hold(true);
  }

  private sizeChanged(): void {
    this.view.windowResized(this.terminal.size);
    this.tellSize();
  }

  private tellSize(): void {
    if (!this.options.readOnly) this.connection.send({ _tag: "resize", ptyId: PTY, ...this.terminal.size });
  }

  private end(end: AttachEnd): void {
    if (this.over) return;
    this.over = true;
    this.terminal.restore(end.how === "exited" ? "stays" : "at the bottom");
    this.connection.close();
    this.finish(end);
  }
}
