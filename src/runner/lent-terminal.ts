/**
 * A viewer whose terminal the runner has in hand: it is written to and its keys are read here, and the client waits until it
 * is given back. Whatever the reason, it is let go before anybody is told, so that nothing comes after the client has
 * restored it.
 */
import { closeSync } from "node:fs";
import { QuickWriter, readTerminalQuickly, type ByteListener } from "../lib/quick-io.ts";
import { SessionOnTerminal, type TerminalWindow } from "../screen/session-on-terminal.ts";
import type { Picture } from "../screen/screen.ts";
import { InputBrake } from "./input-brake.ts";
import type { PtyExit } from "./pty.ts";
import type { Size } from "./size-owner.ts";
import type { TerminalLoan } from "./terminal-loan.ts";
import type { Terminal } from "./terminal.ts";
import { BEAT_MS } from "./typing-beat.ts";
import type { Viewer, ViewerSink } from "./viewer.ts";

/** More waiting than this, and it gets nothing until it has caught up: what is shown is not far behind what is typed. */
const CONGESTED_ABOVE_BYTES = 64 * 1024;

/**
 * Whose terminal it is, is asked often enough that nobody can have seen that it is the shell's again and answered it: what was
 * typed later than that after the last look is looked at before it is passed on. So is more than a key at a time, which may be
 * anything, and output after so long.
 */
const TRUSTED_FOR_MS = 1.5 * BEAT_MS;
const KEY_BYTES = 8;

/**
 * So often as long as somebody types. After that whoever stops the client does so from elsewhere, and has to come here before
 * typing: what is typed before a look is taken from the shell, although the session does not get it either.
 */
const WATCHED_FOR_MS = 30_000;
const LOOK_UNTYPED_EVERY_MS = 1000;

/** A terminal that has not taken what waits by then does not show anything anyway. */
const PUT_RIGHT_WITHIN_MS = 5000;

export type ReturnReason = "detach" | "reclaimed" | "stopped" | "gone";

/** Told once; the terminal is the client's again by then. */
export interface LoanListener {
  /** Somebody types. */
  onTyping(): void;
  onReturned(reason: ReturnReason): void;
  onExit(exit: PtyExit): void;
}

export class LentTerminal implements ViewerSink, ByteListener {
  readonly terminal: Terminal;
  private readonly loan: TerminalLoan;
  private readonly listener: LoanListener;
  private readonly readOnly: boolean;
  private readonly stream: ReturnType<typeof readTerminalQuickly>;
  private readonly writer: QuickWriter;
  private readonly brake: InputBrake;
  private readonly view: SessionOnTerminal;
  private readonly over: Promise<void>;
  private resolveOver: () => void = () => undefined;
  private current: Viewer | undefined;
  private lookedAt = 0;
  private typedAt = 0;
  private watch: NodeJS.Timeout | undefined;
  private isWatchedClosely = false;
  private exit: PtyExit | undefined;
  private isAbandoned = false;
  private isOver = false;

  constructor(terminal: Terminal, loan: TerminalLoan, window: TerminalWindow, listener: LoanListener) {
    this.terminal = terminal;
    this.loan = loan;
    this.listener = listener;
    this.readOnly = window.readOnly;
    this.over = new Promise((resolve) => (this.resolveOver = resolve));
    this.view = new SessionOnTerminal(
      {
        write: (bytes) => this.write(bytes),
        input: (data) => this.type(data),
        takeOver: () => this.focus(),
        redraw: () => this.current?.refresh(),
        detach: () => this.giveBack("detach"),
      },
      window,
    );
    this.stream = readTerminalQuickly(loan.fd, this);
    // It has a descriptor of its own.
    closeSync(loan.fd);
    this.writer = new QuickWriter(this.stream, () => this.drained());
    this.brake = new InputBrake(this.stream);
    // How a terminal says that it is gone; the closing tells the rest.
    this.stream.on("error", () => undefined);
    this.stream.once("close", () => this.giveBack("gone"));
  }

  /** Known once `open` has been called. */
  get viewer(): Viewer | undefined {
    return this.current;
  }

  /** The first picture has the terminal's size, unless it only looks. */
  open(window: Size): void {
    if (!this.readOnly) this.terminal.resize(window);
    const viewer = this.terminal.attach(this);
    // The first picture may have been the last.
    if (this.isOver) return this.terminal.detach(viewer);
    this.current = viewer;
    if (!this.readOnly) {
      this.terminal.propose(viewer, window);
      this.terminal.focus(viewer);
    }
    this.stream.resume();
    this.watchClosely(false);
  }

  windowResized(size: Size): void {
    this.view.windowResized(size);
    if (this.current !== undefined && !this.readOnly) this.terminal.propose(this.current, size);
  }

  get congested(): boolean {
    return this.writer.waitingBytes > CONGESTED_ABOVE_BYTES;
  }

  picture(picture: Picture): void {
    this.view.picture(picture);
  }

  output(pieces: readonly Buffer[]): void {
    const [only] = pieces;
    const isKey = pieces.length === 1 && only?.length === 1;
    this.view.output(isKey ? only : Buffer.concat(pieces));
  }

  resized(size: Size): void {
    this.view.resized(size);
  }

  /** Told when the last of the output has been taken. */
  exited(exit: PtyExit): void {
    this.exit = exit;
    this.drained();
  }

  giveBack(reason: ReturnReason): void {
    if (this.letGo()) this.listener.onReturned(reason);
  }

  /**
   * Its client has died with the terminal in our hands: nobody else can take the session off it. That comes after what waits
   * to be taken already, unless it waits for too long.
   */
  abandoned(): void {
    if (this.isOver || this.isAbandoned) return;
    this.isAbandoned = true;
    this.stream.pause();
    if (this.current !== undefined) this.terminal.detach(this.current);
    const left = Buffer.from(this.view.left());
    this.writer.write(left);
    if (this.writer.waitingBytes === 0) return this.giveBack("gone");
    const giveUp = (): void => {
      this.writer.writeLast(left);
      this.giveBack("gone");
    };
    const timer = setTimeout(giveUp, PUT_RIGHT_WITHIN_MS).unref();
    void this.over.then(() => clearTimeout(timer));
  }

  /** Until what the program said last has been taken, but not for ever. */
  async flushed(withinMs: number): Promise<void> {
    const timer = setTimeout(() => this.leaveAfterExit(this.terminal.exit), withinMs);
    await this.over;
    clearTimeout(timer);
  }

  /** False when it was over already. Nobody is told. */
  private letGo(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.stopWatching();
    this.stream.destroy();
    this.loan.end();
    if (this.current !== undefined) this.terminal.detach(this.current);
    this.resolveOver();
    return true;
  }

  hear(data: Buffer): void {
    const now = Date.now();
    const isKey = data.length <= KEY_BYTES;
    if (isKey ? !this.isOursAt(now) : !this.isStillOurs(now)) return;
    this.view.typed(data);
    this.typedAt = now;
    if (!this.isWatchedClosely && !this.isOver) this.typingBegan();
  }

  private typingBegan(): void {
    this.watchClosely(true);
    if (!this.readOnly) this.listener.onTyping();
  }

  private watchClosely(isTypedInto: boolean): void {
    this.stopWatching();
    this.isWatchedClosely = isTypedInto;
    if (isTypedInto) this.terminal.typingBeat.join(this.lookAgain);
    else this.watch = setInterval(this.lookAgain, LOOK_UNTYPED_EVERY_MS).unref();
  }

  private stopWatching(): void {
    clearInterval(this.watch);
    this.terminal.typingBeat.leave(this.lookAgain);
  }

  private readonly lookAgain = (): void => {
    const now = Date.now();
    const isTypedInto = now - this.typedAt < WATCHED_FOR_MS;
    if (this.isStillOurs(now) && this.isWatchedClosely && !isTypedInto) this.watchClosely(false);
  };

  private type(data: Buffer): void {
    this.terminal.write(data, this.current);
    this.brake.check(this.terminal.pty.input);
  }

  private focus(): void {
    if (this.current !== undefined) this.terminal.focus(this.current);
  }

  private write(bytes: Uint8Array): void {
    if (this.isOursAt(Date.now())) this.writer.write(bytes);
  }

  private drained(): void {
    if (this.isAbandoned) return this.giveBack("gone");
    this.current?.drained();
    if (this.writer.waitingBytes === 0) this.leaveAfterExit(this.exit);
  }

  private leaveAfterExit(exit: PtyExit | undefined): void {
    if (exit !== undefined && this.letGo()) this.listener.onExit(exit);
  }

  private isOursAt(now: number): boolean {
    const since = now - this.lookedAt;
    const isTrusted = since >= 0 && since < TRUSTED_FOR_MS && !this.isOver;
    return isTrusted || this.isStillOurs(now);
  }

  private isStillOurs(now: number): boolean {
    if (this.isOver) return false;
    this.lookedAt = now;
    if (this.loan.isInFront()) return true;
    // Of one that has ended the connection tells more: it may have taken the terminal back, and put it right, before.
    if (!this.loan.hasEnded()) this.giveBack("stopped");
    return false;
  }
}
