/**
 * This terminal on a session. It is lent to the session's runner, which then writes to it and reads its keys as tmux does,
 * and this process only waits, follows the size and gives the terminal back as it was. Where that cannot be (another
 * machine's session, another system), output and keys pass through here. Detaching leaves the session running.
 */
import { constants } from "node:os";
import { setFlagsFromString } from "node:v8";
import type { CloseReason, ShimConnection, ShimEvent } from "../../client/shim-connection.ts";
import { compileLater } from "../../lib/compile-later.ts";
import { SessionOnTerminal } from "../../screen/session-on-terminal.ts";
import { RawTerminal } from "./raw-terminal.ts";
import { leaveNote, type TerminalNote } from "./terminal-note.ts";

const PTY = "pty-1";

/** Who types does so again: a key through code that V8 has optimised takes half as long. Who only looks is spared the work. */
const TIMES_SOONER = 1 / 13;

/** A runner lets go of a terminal in the turn in which it is told to; one that does not is stuck, and writes nothing. */
const RETURNED_WITHIN_MS = 1000;

export interface AttachOptions {
  /** Look, but neither type nor set the size. */
  readOnly: boolean;
  /** The session's own, when it is a session of this machine: its runner can have the terminal. */
  directory?: string;
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
  private note: TerminalNote | undefined;
  /** Who writes to the terminal and reads its keys. */
  private holder: "nobody" | "offered to the runner" | "runner" | "us" = "nobody";
  private isTakingBack = false;
  private over = false;
  private isTypedInto = false;
  /** Somebody shows the session: the runner has taken the terminal, or we have had a picture. */
  private isShown = false;
  /** Told before that: what the program said last is still to come, and its exit again. */
  private earlyExit: number | undefined;

  constructor(connection: ShimConnection, options: AttachOptions, finish: (end: AttachEnd) => void) {
    this.connection = connection;
    this.options = options;
    this.finish = finish;
    this.terminal = new RawTerminal({
      beforeRestore: () => this.takeBack(),
      onEnd: (signal) => process.exit(128 + constants.signals[signal]),
      onContinue: () => this.offer(),
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
    terminal.onInput((data) => this.type(data));
    terminal.onResize(() => this.sizeChanged());
    terminal.onDrain(() => connection.hold(false));
    terminal.makeRoom();
    this.offer();
  }

  /** The terminal to the runner, which answers whether it takes it. */
  private offer(): void {
    if (this.over) return;
    const { directory, readOnly } = this.options;
    this.terminal.read(false);
    this.note = directory === undefined ? undefined : leaveNote(directory);
    if (this.note === undefined) return this.holdIt();
    this.holder = "offered to the runner";
    const { note } = this.note;
    this.connection.send({ _tag: "lend", ptyId: PTY, pid: process.pid, note, ...this.terminal.size, readOnly });
  }

  /** Output and keys pass through here. */
  private holdIt(): void {
    this.holder = "us";
    this.attach();
    if (!this.options.readOnly) this.connection.send({ _tag: "focus", ptyId: PTY });
    this.terminal.read(true);
  }

  private attach(): void {
    // Before attaching, so that the first picture has our size; after it, so that the size is ours.
    this.tellSize();
    this.connection.send({ _tag: "attach", ptyId: PTY });
    this.tellSize();
  }

  private hear(event: ShimEvent): void {
    if (this.over) return;
    switch (event._tag) {
      case "lent":
        return this.answered(event.taken);
      case "returned":
        return this.returned(event.reason);
      case "snapshot":
        this.isShown = true;
        return this.view.picture(event.state);
      case "output":
        return this.view.output(event.data);
      case "resized":
        return this.view.resized(event);
      case "exit":
        if (event.ptyId !== PTY) return undefined;
        if (this.isShown) return this.exited(event.exitCode);
        this.earlyExit = event.exitCode;
        return undefined;
      case "error":
        // A runner from before terminals were lent.
        return event.code === "unknown-tag" ? this.answered(false) : undefined;
      case "closed":
        this.holder = "nobody";
        if (this.earlyExit !== undefined) return this.exited(this.earlyExit);
        return this.end({ how: "closed", reason: event.reason });
      default:
        return undefined;
    }
  }

  private answered(taken: boolean): void {
    this.note?.remove();
    if (this.holder !== "offered to the runner") return;
    this.holder = taken ? "runner" : "nobody";
    if (taken) this.isShown = true;
    // It may have changed on the way.
    if (taken) this.tellSize();
    else if (!this.isTakingBack) this.holdIt();
  }

  private returned(reason: Extract<ShimEvent, { _tag: "returned" }>["reason"]): void {
    this.holder = "nobody";
    if (this.isTakingBack) return;
    // We were stopped, or another job had the terminal; if it still has, the system stops us when we read.
    if (reason === "stopped") this.offer();
    else this.end({ how: "detached" });
  }

  private exited(exitCode: number): void {
    this.holder = "nobody";
    this.end({ how: "exited", exitCode });
  }

  /** In this very moment: what comes after this writes to the terminal. */
  private takeBack(): void {
    this.note?.remove();
    if (this.holder === "us" || this.holder === "nobody") return;
    this.isTakingBack = true;
    this.connection.send({ _tag: "reclaim", ptyId: PTY });
    this.connection.hearNow(() => this.holder === "nobody", RETURNED_WITHIN_MS);
    this.holder = "nobody";
    this.isTakingBack = false;
  }

  private write(data: Uint8Array): void {
    // A slow terminal makes the runner skip to a fresh picture instead of filling memory here.
    if (!this.terminal.write(data)) this.connection.hold(true);
  }

  private sizeChanged(): void {
    this.view.windowResized(this.terminal.size);
    this.tellSize();
  }

  private tellSize(): void {
    // The runner wants to know it also of a terminal whose size does not count.
    if (this.options.readOnly && this.holder !== "runner") return;
    this.connection.send({ _tag: "resize", ptyId: PTY, ...this.terminal.size });
  }

  private type(data: Buffer): void {
    if (!this.isTypedInto) this.hurry();
    this.view.typed(data);
  }

  private hurry(): void {
    this.isTypedInto = true;
    for (const flag of compileLater(TIMES_SOONER)) setFlagsFromString(flag);
  }

  private end(end: AttachEnd): void {
    if (this.over) return;
    this.over = true;
    this.terminal.restore(end.how === "exited" ? "stays" : "at the bottom");
    this.connection.close();
    this.finish(end);
  }
}
