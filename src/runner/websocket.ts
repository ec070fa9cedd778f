/**
 * The server side of a WebSocket (RFC 6455), without extensions or subprotocols. A library would cost every session a megabyte.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

const HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const NORMAL_CLOSURE = 1000;
const PROTOCOL_ERROR = 1002;
const TOO_BIG = 1009;

/** Largest message from a client: a paste of 10 MB must fit. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_CONTROL_BYTES = 125;

/** A connection that misses a ping is gone, even without a close: noticed after half a minute at most. */
const PING_EVERY_MS = 15_000;

export interface WebSocketListener {
  onText(text: string): void;
  onBinary(data: Buffer): void;
  onDrain(): void;
  onClose(): void;
}

/** Accepts the upgrade; undefined if it is malformed and was refused. */
export function acceptWebSocket(request: IncomingMessage, socket: Socket): WebSocketConnection | undefined {
  const key = request.headers["sec-websocket-key"];
  const wants = request.headers.upgrade?.toLowerCase() === "websocket" && request.method === "GET";
  if (!wants || typeof key !== "string" || request.headers["sec-websocket-version"] !== "13") {
    socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return undefined;
  }
  const accept = createHash("sha1")
    .update(key + HANDSHAKE_GUID)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  return new WebSocketConnection(socket);
}

export class WebSocketConnection {
  private readonly socket: Socket;
  private listener: WebSocketListener | undefined;
  private received: Buffer = Buffer.alloc(0);
  private fragments: Buffer[] = [];
  private fragmentBytes = 0;
  private fragmentType = TEXT;
  private closing = false;
  private answered = true;
  private readonly pinger: NodeJS.Timeout;

  constructor(socket: Socket) {
    this.socket = socket;
    this.pinger = setInterval(() => this.ping(), PING_EVERY_MS);
    socket.once("close", () => {
      clearInterval(this.pinger);
      this.listener?.onClose();
    });
  }

  /** `head` is what arrived together with the upgrade. */
  start(listener: WebSocketListener, head: Buffer): void {
    this.listener = listener;
    this.socket.on("data", (chunk: Buffer) => this.receive(chunk));
    this.socket.on("drain", () => listener.onDrain());
    if (head.length > 0) this.receive(head);
    this.socket.resume();
  }

  get waitingBytes(): number {
    return this.socket.writableLength;
  }

  get stream(): Socket {
    return this.socket;
  }

  sendText(text: string): void {
    this.send(TEXT, [Buffer.from(text)]);
  }

  sendBinary(pieces: readonly Uint8Array[]): void {
    this.send(BINARY, pieces);
  }

  close(code = NORMAL_CLOSURE, reason = ""): void {
    if (this.closing) return;
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    this.send(CLOSE, [payload]);
    this.closing = true;
    this.socket.end();
  }

  private send(opcode: number, pieces: readonly Uint8Array[]): void {
    if (this.closing || this.socket.destroyed) return;
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const frame = Buffer.allocUnsafe(head + length);
    frame[0] = 0x80 | opcode;
    frame[1] = head === 2 ? length : head === 4 ? 126 : 127;
    if (head === 4) frame.writeUInt16BE(length, 2);
    if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
    let at = head;
    for (const piece of pieces) {
      frame.set(piece, at);
      at += piece.length;
    }
    this.socket.write(frame);
  }

  private ping(): void {
    // While reading is paused, a missing pong proves nothing.
    if (this.socket.isPaused()) {
      this.answered = true;
      return;
    }
    if (!this.answered) this.socket.destroy();
    this.answered = false;
    this.send(PING, []);
  }

  private receive(chunk: Buffer): void {
    this.answered = true;
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    while (!this.closing && this.takeFrame());
  }

  /** Handles one complete frame; false if there is none. */
  private takeFrame(): boolean {
    const data = this.received;
    if (data.length < 2) return false;
    const [first = 0, second = 0] = data;
    const short = second & 0x7f;
    const opcode = first & 0x0f;
    // Reserved bits, unmasked client frames and long control frames violate the protocol.
    if ((first & 0x70) !== 0 || (second & 0x80) === 0 || (opcode >= CLOSE && short > MAX_CONTROL_BYTES)) {
      this.close(PROTOCOL_ERROR, "protocol error");
      return false;
    }
    const head = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + 4;
    if (data.length < head) return false;
    const length = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short;
    if (length + this.fragmentBytes > MAX_MESSAGE_BYTES) {
      this.close(TOO_BIG, "message too big");
      return false;
    }
    if (data.length < head + length) return false;
    const payload = unmask(data.subarray(head, head + length), data.subarray(head - 4, head));
    this.received = data.subarray(head + length);
    this.handle(opcode, (first & 0x80) !== 0, payload);
    return true;
  }

  private handle(opcode: number, last: boolean, payload: Buffer): void {
    if (opcode === CLOSE) this.close();
    else if (opcode === PING) this.send(PONG, [payload]);
    else if (opcode === TEXT || opcode === BINARY || opcode === CONTINUATION) this.collect(opcode, last, payload);
    else if (opcode !== PONG) this.close(PROTOCOL_ERROR, "unknown opcode");
  }

  private collect(opcode: number, last: boolean, payload: Buffer): void {
    if ((opcode === CONTINUATION) !== this.fragments.length > 0)
      return this.close(PROTOCOL_ERROR, "fragment out of order");
    if (opcode !== CONTINUATION) this.fragmentType = opcode;
    this.fragments.push(payload);
    this.fragmentBytes += payload.length;
    if (!last) return;
    const message = this.fragments.length === 1 ? payload : Buffer.concat(this.fragments);
    this.fragments = [];
    this.fragmentBytes = 0;
    if (this.fragmentType === TEXT) this.listener?.onText(message.toString("utf8"));
    else this.listener?.onBinary(message);
  }
}

function unmask(payload: Buffer, mask: Buffer): Buffer {
  const result = Buffer.allocUnsafe(payload.length);
  for (let at = 0; at < payload.length; at++) result[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return result;
}
