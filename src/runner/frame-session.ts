/**
 * One frame connection, which may watch several terminals. A client that sends no `hello` gets every terminal's snapshot at once.
 * Malformed input ends only its own connection.
 */
import type { Socket } from "node:net";
import { errorText } from "../lib/text/error-text.ts";
import { encodeFrame, FrameDecoder, FrameError, type Payload } from "../protocol/frame-codec.ts";
import {
  badSize,
  CAPABILITIES,
  isSize,
  parseClientFrame,
  PROTOCOL_VERSION,
  type ClientFrame,
  type PtyInfo,
  type ServerFrame,
} from "../protocol/frames.ts";
import { endProgram } from "./end-program.ts";
import { exitFrame, FrameViewer, type FrameChannel } from "./frame-viewer.ts";
import { InputBackpressure } from "./input-backpressure.ts";
import type { PtyExit } from "./pty.ts";
import type { Session } from "./session.ts";
import type { Size } from "./size-owner.ts";
import type { AttachWish, Terminal } from "./terminal.ts";
import type { Viewer } from "./viewer.ts";

/** Above this backlog a viewer gets nothing until it has caught up. */
const CONGESTED_ABOVE_BYTES = 256 * 1024;

/** A client that said hello pings every 20 seconds. Without a word for this many checks it may be stopped or cut off. */
const CHECK_EVERY_MS = 10_000;
const SILENT_AFTER_CHECKS = 3;

type Frame<Tag extends ClientFrame["_tag"]> = Extract<ClientFrame, { _tag: Tag }>;

export class FrameSession implements FrameChannel {
  private readonly socket: Socket;
  private readonly session: Session;
  private readonly incarnation: string;
  private readonly shell: readonly string[];
  private readonly decoder = new FrameDecoder();
  private readonly brake: InputBackpressure;
  private readonly viewers = new Map<string, FrameViewer>();
  /** What each terminal's viewer asked for, for when it is heard again after a silence. */
  private readonly sizes = new Map<string, Size>();
  private readonly checking: NodeJS.Timeout;
  private silentChecks = 0;
  private greeted: "no" | "hello" | "published" = "no";
  private wantsBinary = false;

  constructor(socket: Socket, session: Session, incarnation: string, shell: readonly string[]) {
    this.socket = socket;
    this.session = session;
    this.incarnation = incarnation;
    this.shell = shell;
    this.brake = new InputBackpressure(socket, () => this.saidHello && this.send({ _tag: "pong" }));
    socket.on("data", (bytes: Buffer) => this.hear(bytes));
    socket.on("drain", () => this.drained());
    this.checking = setInterval(() => this.checkSilence(), CHECK_EVERY_MS);
    this.checking.unref();
    socket.once("close", () => this.leave());
    socket.resume();
  }

  get congested(): boolean {
    return this.socket.writableLength > CONGESTED_ABOVE_BYTES;
  }

  get binaryOutput(): boolean {
    return this.wantsBinary;
  }

  get saidHello(): boolean {
    return this.greeted === "hello";
  }

  /** For a client that sends no `hello`. */
  greetAsPublished(): void {
    if (this.greeted !== "no") return;
    this.greeted = "published";
    for (const terminal of this.session.terminals.values()) void this.watchAsPublished(terminal);
  }

  created(terminal: Terminal, requestId?: string): void {
    if (this.greeted === "no") return;
    const { id: ptyId, cols, rows, cwd } = terminal;
    this.send({ _tag: "created", ptyId, cols, rows, cwd, ...(requestId === undefined ? {} : { requestId }) });
    if (this.greeted === "published") void this.watchAsPublished(terminal);
  }

  /** Viewers learn of an exit after the last output; other clients learn of it here. */
  exited(terminal: Terminal, exit: PtyExit): void {
    if (this.saidHello && !this.viewers.has(terminal.id)) this.send(exitFrame(terminal.id, exit));
  }

  /** Resolves when a client that needs all output has it, or is gone. At once for any other. */
  async delivered(): Promise<void> {
    if (![...this.viewers.values()].some(({ viewer }) => viewer?.isWhole)) return;
    const { socket } = this;
    while (!socket.destroyed && socket.writableNeedDrain) {
      await new Promise<void>((resolve) => {
        for (const event of ["drain", "close"]) socket.once(event, resolve);
      });
    }
  }

  end(reason: "ended" | "killed"): void {
    if (this.saidHello) this.send({ _tag: "bye", reason });
    this.socket.end();
  }

  send(frame: ServerFrame): void {
    this.write(encodeFrame(frame));
  }

  write(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Handles bytes from the client. */
  hear(chunk: Buffer): void {
    const wasSilent = this.isSilent;
    this.silentChecks = 0;
    if (wasSilent) this.eachSize((terminal, viewer, size) => terminal.propose(viewer, size));
    try {
      this.decoder.push(chunk);
      for (let payload = this.decoder.next(); payload !== undefined; payload = this.decoder.next()) {
        this.handle(payload);
        if (this.socket.destroyed || this.socket.writableEnded) return;
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.refuse(error.message);
    }
  }

  private handle(payload: Payload): void {
    if (payload.kind === "output") return this.refuse("Only the runner sends output.");
    if (payload.kind === "input") return this.type(payload.ptyId, payload.data);
    const parsed = parseClientFrame(payload.text);
    if (parsed.ok) return this.act(parsed.frame);
    // A newer client may know more tags; the connection stays.
    if (parsed.unknownTag !== undefined) return this.fail("unknown-tag", parsed.message);
    return this.refuse(parsed.message);
  }

  private act(frame: ClientFrame): void {
    if (frame._tag === "hello") return this.hello(frame);
    this.greetAsPublished();
    switch (frame._tag) {
      case "create":
        return this.create(frame);
      case "input":
        return this.type(frame.ptyId, Buffer.from(frame.data));
      case "detach":
        return this.unwatch(frame.ptyId);
      case "ping":
        return this.send(frame.id === undefined ? { _tag: "pong" } : { _tag: "pong", id: frame.id });
      case "attach":
        return this.withTerminal(frame.ptyId, (terminal) => this.watch(terminal, frame));
      case "resize":
        return this.withTerminal(frame.ptyId, (terminal) => this.resize(terminal, frame));
      case "focus":
        return this.withTerminal(frame.ptyId, (terminal) => this.focus(terminal));
      case "history":
        return this.withTerminal(frame.ptyId, () => void this.viewers.get(frame.ptyId)?.sendHistory(frame.lines));
      case "destroy":
        return this.withTerminal(frame.ptyId, (terminal) => void endProgram(terminal));
    }
  }

  private hello(frame: Frame<"hello">): void {
    if (this.greeted !== "no") return;
    this.greeted = "hello";
    if (frame.incarnation !== undefined && frame.incarnation !== this.incarnation) {
      this.send({ _tag: "bye", reason: "incarnation-mismatch" });
      this.socket.end();
      return;
    }
    this.wantsBinary = frame.capabilities.includes("binary-output");
    this.send({
      _tag: "hello",
      version: PROTOCOL_VERSION,
      capabilities: [...CAPABILITIES],
      sessionId: this.session.spec.id,
      incarnation: this.incarnation,
      ptys: [...this.session.terminals.values()].map(ptyInfo),
    });
  }

  /** A client that watches again gets a new snapshot and remains the same viewer. */
  private watch(terminal: Terminal, wish: AttachWish = {}): void {
    const before = this.viewers.get(terminal.id);
    if (before === undefined) this.session.viewerCame();
    const viewer = new FrameViewer(terminal, this);
    this.viewers.set(terminal.id, viewer);
    viewer.open(wish, before);
  }

  private async watchAsPublished(terminal: Terminal): Promise<void> {
    // The snapshot holds the whole history, so that is packed first.
    await terminal.pack();
    if (!this.socket.destroyed && !this.viewers.has(terminal.id)) this.watch(terminal);
  }

  private unwatch(ptyId: string): void {
    const viewer = this.viewers.get(ptyId);
    if (viewer === undefined) return;
    this.viewers.delete(ptyId);
    this.sizes.delete(ptyId);
    viewer.close();
    this.session.viewerLeft();
  }

  private get isSilent(): boolean {
    return this.silentChecks >= SILENT_AFTER_CHECKS;
  }

  /** A silent viewer gives its size up, as one that leaves does. */
  private checkSilence(): void {
    // While reading is paused, silence proves nothing.
    if (!this.saidHello || this.socket.isPaused()) this.silentChecks = 0;
    else if (++this.silentChecks === SILENT_AFTER_CHECKS)
      this.eachSize((terminal, viewer) => terminal.yieldSize(viewer));
  }

  private eachSize(act: (terminal: Terminal, viewer: Viewer, size: Size) => void): void {
    for (const [ptyId, size] of this.sizes) {
      const { terminal, viewer } = this.viewers.get(ptyId) ?? {};
      if (terminal !== undefined && viewer !== undefined) act(terminal, viewer, size);
    }
  }

  private leave(): void {
    clearInterval(this.checking);
    for (const ptyId of this.viewers.keys()) this.unwatch(ptyId);
  }

  private drained(): void {
    for (const viewer of this.viewers.values()) viewer.drained();
  }

  private resize(terminal: Terminal, { cols, rows }: Size): void {
    if (!isSize({ cols, rows })) return this.fail("bad-size", badSize({ cols, rows }));
    const viewer = this.viewers.get(terminal.id)?.viewer;
    if (viewer === undefined) return terminal.resize({ cols, rows });
    this.sizes.set(terminal.id, { cols, rows });
    terminal.propose(viewer, { cols, rows });
    // A client that cannot send `focus` means it when it resizes.
    if (!this.saidHello) terminal.focus(viewer);
  }

  private focus(terminal: Terminal): void {
    const viewer = this.viewers.get(terminal.id)?.viewer;
    if (viewer !== undefined) terminal.focus(viewer);
  }

  private type(ptyId: string, data: Buffer): void {
    this.greetAsPublished();
    this.withTerminal(ptyId, (terminal) => {
      terminal.write(data, this.viewers.get(ptyId)?.viewer);
      this.brake.check(terminal.pty.input);
    });
  }

  private create({ cols, rows, cwd, command = [...this.shell], requestId }: Frame<"create">): void {
    try {
      this.session.create({ command, cwd, cols, rows }, requestId);
    } catch (error) {
      this.fail("create-failed", errorText(error), requestId);
    }
  }

  private withTerminal(ptyId: string, act: (terminal: Terminal) => void): void {
    const terminal = this.session.terminals.get(ptyId);
    if (terminal === undefined) this.fail("no-such-pty", `There is no terminal ${ptyId}.`);
    else act(terminal);
  }

  private fail(code: string, message: string, requestId?: string): void {
    this.send({ _tag: "error", code, message, ...(requestId === undefined ? {} : { requestId }) });
  }

  private refuse(message: string): void {
    this.fail("malformed-frame", message);
    this.send({ _tag: "bye", reason: "protocol-error" });
    this.socket.end();
  }
}

function ptyInfo(terminal: Terminal): PtyInfo {
  const { id: ptyId, cols, rows, cwd, exit } = terminal;
  const info = { ptyId, cols, rows, cwd, pid: terminal.pty.pid, seq: terminal.ring.end };
  return exit === undefined ? info : { ...info, exitCode: exit.exitCode };
}
