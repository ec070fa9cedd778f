/** Input of sockets: frames, their JSON, WebSocket frames, server-sent events. */
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { SseParser } from "../../../../src/client/sse.ts";
import {
  encodeFrame,
  encodeInput,
  encodeOutput,
  FrameDecoder,
  FrameError,
} from "../../../../src/protocol/frame-codec.ts";
import { parseClientFrame, parseServerFrame } from "../../../../src/protocol/frames.ts";
import { acceptWebSocket } from "../../../../src/runner/websocket.ts";
import type { Target } from "../target.ts";

const CLIENT_FRAMES = [
  { _tag: "input", ptyId: "pty-1", data: "ls\r" },
  { _tag: "resize", ptyId: "pty-1", cols: 80, rows: 24 },
  { _tag: "create", cols: 80, rows: 24, cwd: "/tmp" },
  { _tag: "destroy", ptyId: "pty-1" },
  { _tag: "hello", version: 1, capabilities: ["binary-output"] },
  { _tag: "attach", ptyId: "pty-1", since: 12 },
];

const frames: Target = {
  name: "frames",
  short: 3000,
  seeds: () => [
    ...CLIENT_FRAMES.map(encodeFrame),
    encodeOutput("pty-1", 4, [Buffer.from("out")]),
    Buffer.concat([encodeInput("pty-1", Buffer.from("x")), encodeFrame({ _tag: "exit", ptyId: "pty-1", exitCode: 0 })]),
  ],
  tokens: ['{"_tag":"', '"ptyId":"pty-1"', "\0\0\0\x02", "\x01\x05pty-1", "\x02\x05pty-1"],
  run(input) {
    const whole = decoded([input]);
    const torn = decoded(
      Array.from({ length: Math.ceil(input.length / 3) }, (_, n) => input.subarray(3 * n, 3 * n + 3)),
    );
    if (JSON.stringify(whole) !== JSON.stringify(torn)) throw new Error("Torn apart, the frames are others.");
    for (const payload of whole) {
      if (payload.kind !== "json") continue;
      for (const parse of [parseClientFrame, parseServerFrame]) {
        const parsed = parse(payload.text);
        if (parsed.ok && typeof parsed.frame._tag !== "string") throw new Error("A frame without a tag.");
      }
    }
  },
};

function decoded(chunks: readonly Buffer[]) {
  const decoder = new FrameDecoder();
  const found = [];
  try {
    for (const chunk of chunks) {
      decoder.push(chunk);
      for (let payload = decoder.next(); payload !== undefined; payload = decoder.next()) found.push(payload);
    }
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
  }
  return found;
}

const webSocket: Target = {
  name: "websocket",
  short: 3000,
  seeds: () => [
    masked(1, Buffer.from('{"type":"resize","cols":80,"rows":24}')),
    masked(2, Buffer.alloc(300, 7)),
    Buffer.concat([masked(1, Buffer.from("a"), false), masked(0, Buffer.from("b"))]),
    Buffer.concat([masked(9, Buffer.from("ping")), masked(8, Buffer.from([3, 232]))]),
    masked(2, Buffer.alloc(70_000)),
  ],
  run(input) {
    const socket = new FakeSocket();
    const headers = { upgrade: "websocket", "sec-websocket-key": "AAAA", "sec-websocket-version": "13" };
    const request = { method: "GET", headers } as unknown as IncomingMessage;
    const connection = acceptWebSocket(request, socket as unknown as Socket);
    let bytes = 0;
    connection!.start(
      {
        onText: (text) => void (bytes += text.length),
        onBinary: (data) => void (bytes += data.length),
        onDrain() {},
        onClose() {},
      },
      Buffer.alloc(0),
    );
    for (let at = 0; at < input.length; at += 1000) socket.emit("data", input.subarray(at, at + 1000));
    socket.emit("close");
    if (bytes > input.length) throw new Error("More came out than went in.");
  },
};

/** The parts of a socket that the protocol uses; writes are dropped. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  writableLength = 0;
  write(): boolean {
    return true;
  }
  end(): void {
    this.destroyed = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
  resume(): void {}
}

function masked(opcode: number, payload: Buffer, isLast = true): Buffer {
  const length = payload.length;
  const head = Buffer.alloc(length < 126 ? 6 : length < 65_536 ? 8 : 14);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 8) head.writeUInt16BE(length, 2);
  if (head.length === 14) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

const events: Target = {
  name: "server-sent-events",
  short: 3000,
  seeds: () => [
    Buffer.from('event: session\nid: 4\ndata: {"id":"sess-a"}\n\n: still here\n\ndata: a\ndata: b\n\n'),
    Buffer.from("data\n\nevent:x\ndata:\n\n"),
  ],
  tokens: ["\n\n", "\r\n\r\n", "data:", "event:", "id:", "retry:"],
  run(input) {
    const text = input.toString("utf8");
    const parser = new SseParser();
    const torn = [...text].flatMap((character) => [...parser.push(character)]);
    if (JSON.stringify([...new SseParser().push(text)]) !== JSON.stringify(torn))
      throw new Error("Torn apart, the events are others.");
  },
};

export const PROTOCOL_TARGETS = [frames, webSocket, events];
