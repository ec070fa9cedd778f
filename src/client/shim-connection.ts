/**
 * A frame connection to a session's process. It says why it ended: the session ended, was killed, we left, or the connection was
 * lost.
 */
import type { Socket } from "node:net";
import { AgentMuxError } from "../core/errors.ts";
import { encodeFrame, encodeInput, FrameDecoder, type Payload } from "../protocol/frame-codec.ts";
import { parseServerFrame, type ClientFrame, type PtyInfo, type ServerFrame } from "../protocol/frames.ts";

/** Typed bytes are sent in frames of this size, so that a long paste does not wait to be assembled. */
const INPUT_FRAME_BYTES = 64 * 1024;

/** Silence after which the other side is pinged, and how long it may take to answer. */
const PING_AFTER_MS = 20_000;

export type CloseReason = "ended" | "killed" | "left" | "lost" | "protocol-error" | "incarnation-mismatch";

export type ShimEvent =
  | Exclude<ServerFrame, { _tag: "output" }>
  | { _tag: "output"; ptyId: string; data: Buffer; seq: number }
  | { _tag: "closed"; reason: CloseReason };

export class ShimConnection {
  readonly sessionId: string;
  readonly incarnation: string;
  /** Path of the socket. */
  readonly path: string;
  private readonly socket: Socket;
  private readonly decoder: FrameDecoder;
  private readonly subscribers = new Set<(event: ShimEvent) => void>();
  private readonly known = new Map<string, PtyInfo>();
  private readonly pending = new Map<string, (outcome: ServerFrame | AgentMuxError) => void>();
  private requests = 0;
  private reason: CloseReason = "lost";
  private isClosed = false;
  private heard = true;
  private readonly heartbeat: NodeJS.Timeout;

  /** Created by open-shim-connection.ts after both sides said hello. */
  constructor(path: string, socket: Socket, decoder: FrameDecoder, hello: Extract<ServerFrame, { _tag: "hello" }>) {
    this.path = path;
    this.socket = socket;
    this.decoder = decoder;
    this.sessionId = hello.sessionId;
    this.incarnation = hello.incarnation;
    for (const pty of hello.ptys) this.known.set(pty.ptyId, pty);
    socket.on("data", (bytes: Buffer) => this.receive(bytes));
    socket.once("close", () => this.ended());
    this.heartbeat = setInterval(() => this.checkAlive(), PING_AFTER_MS);
    this.heartbeat.unref();
    socket.resume();
  }

  get closed(): boolean {
    return this.isClosed;
  }

  ptys(): readonly PtyInfo[] {
    return [...this.known.values()];
  }

  /** Returns a function that ends the subscription. */
  subscribe(subscriber: (event: ShimEvent) => void): () => void {
    this.subscribers.add(subscriber);
    return () => this.subscribers.delete(subscriber);
  }

  send(frame: ClientFrame): void {
    this.write(encodeFrame(frame));
  }

  input(ptyId: string, data: Uint8Array): void {
    for (let at = 0; at < data.length; at += INPUT_FRAME_BYTES) {
      this.write(encodeInput(ptyId, data.subarray(at, at + INPUT_FRAME_BYTES)));
    }
  }

  /** Pauses or continues reading: a runner skips to a fresh snapshot for a slow reader. */
  hold(on: boolean): void {
    if (on) this.socket.pause();
    else this.socket.resume();
  }

  /** Resolves when everything typed so far has left this process. */
  async flushed(): Promise<void> {
    if (this.socket.writableNeedDrain) await new Promise((resolve) => this.socket.once("drain", resolve));
  }

  async create(frame: Omit<Extract<ClientFrame, { _tag: "create" }>, "_tag" | "requestId">): Promise<string> {
    const answer = await this.request((requestId) => ({ _tag: "create", ...frame, requestId }));
    if (answer._tag === "created") return answer.ptyId;
    throw new AgentMuxError(
      "PTY_NOT_AVAILABLE",
      answer._tag === "error" ? answer.message : "The terminal was not created.",
    );
  }

  /** Disconnects; the session continues. */
  close(): void {
    this.reason = "left";
    this.socket.end();
    this.socket.destroySoon();
  }

  private request(make: (requestId: string) => ClientFrame): Promise<ServerFrame> {
    if (this.isClosed) return Promise.reject(notConnected());
    const id = `r${++this.requests}`;
    return new Promise((resolve, reject) => {
      this.pending.set(id, (outcome) => (outcome instanceof AgentMuxError ? reject(outcome) : resolve(outcome)));
      this.send(make(id));
    });
  }

  private write(frame: Buffer): void {
    if (!this.isClosed && this.socket.writable) this.socket.write(frame);
  }

  private receive(bytes: Buffer): void {
    this.heard = true;
    try {
      this.decoder.push(bytes);
      for (let payload = this.decoder.next(); payload !== undefined; payload = this.decoder.next())
        this.handle(payload);
    } catch {
      // A runner that sends malformed frames cannot be talked to.
      this.reason = "protocol-error";
      this.socket.destroy();
    }
  }

  private handle(payload: Payload): void {
    if (payload.kind === "output") {
      return this.tell({ _tag: "output", ptyId: payload.ptyId, data: payload.data, seq: payload.seq });
    }
    const parsed = payload.kind === "json" ? parseServerFrame(payload.text) : undefined;
    if (parsed?.ok === true) this.act(parsed.frame);
    else if (parsed?.ok === false && parsed.unknownTag === undefined) throw new Error(parsed.message);
  }

  private act(frame: ServerFrame): void {
    switch (frame._tag) {
      case "output":
        this.tell({ ...frame, data: Buffer.from(frame.data), seq: frame.seq ?? 0 });
        return;
      case "bye":
        this.reason = frame.reason;
        break;
      case "created":
        this.known.set(frame.ptyId, { ...frame, pid: 0, seq: 0 });
        break;
      case "resized":
        this.update(frame.ptyId, { cols: frame.cols, rows: frame.rows });
        break;
      case "exit":
        this.forget(frame.ptyId, frame.exitCode);
        break;
      default:
        break;
    }
    if ("requestId" in frame && frame.requestId !== undefined) this.settle(frame.requestId, frame);
    this.tell(frame);
  }

  private update(ptyId: string, change: Partial<PtyInfo>): void {
    const pty = this.known.get(ptyId);
    if (pty !== undefined) this.known.set(ptyId, { ...pty, ...change });
  }

  /** The main terminal, which is the first, is kept with its exit code; others disappear with their program. */
  private forget(ptyId: string, exitCode: number): void {
    const [main] = this.known.keys();
    if (ptyId === main) this.update(ptyId, { exitCode });
    else this.known.delete(ptyId);
  }

  private settle(requestId: string, outcome: ServerFrame | AgentMuxError): void {
    const resolve = this.pending.get(requestId);
    this.pending.delete(requestId);
    resolve?.(outcome);
  }

  private tell(event: ShimEvent): void {
    for (const subscriber of this.subscribers) subscriber(event);
  }

  private checkAlive(): void {
    // While we do not read, silence proves nothing.
    if (this.socket.isPaused()) this.heard = true;
    if (!this.heard) return void this.socket.destroy();
    this.heard = false;
    this.send({ _tag: "ping" });
  }

  private ended(): void {
    this.isClosed = true;
    clearInterval(this.heartbeat);
    // No answers will come any more; pending calls must fail.
    for (const id of this.pending.keys()) this.settle(id, notConnected());
    this.tell({ _tag: "closed", reason: this.reason });
  }
}

export function notConnected(cause?: Error): AgentMuxError {
  return new AgentMuxError("SESSION_NOT_FOUND", "The session is not running.", { cause });
}
