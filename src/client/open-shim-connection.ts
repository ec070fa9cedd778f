/** Opens a connection to a runner's socket and exchanges hello frames. */
import { connect, type Socket } from "node:net";
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { encodeFrame, FrameDecoder } from "../protocol/frame-codec.ts";
import { CAPABILITIES, parseServerFrame, PROTOCOL_VERSION, type ServerFrame } from "../protocol/frames.ts";
import { notConnected, ShimConnection } from "./shim-connection.ts";

const HELLO_WITHIN_MS = 10_000;

export interface ConnectOptions {
  /** Fail unless this exact process answers. */
  incarnation?: string;
}

export function openShimConnection(socketPath: string, options: ConnectOptions = {}): Promise<ShimConnection> {
  return greet(connect(socketPath), socketPath, options);
}

/** For a connection that already leads to a runner. */
export async function greet(socket: Socket, path: string, options: ConnectOptions = {}): Promise<ShimConnection> {
  const decoder = new FrameDecoder();
  const { incarnation } = options;
  socket.write(
    encodeFrame({
      _tag: "hello",
      version: PROTOCOL_VERSION,
      capabilities: [...CAPABILITIES],
      ...(incarnation === undefined ? {} : { incarnation }),
    }),
  );
  const hello = await firstFrame(socket, decoder);
  if (hello._tag === "hello") return new ShimConnection(path, socket, decoder, hello);
  socket.destroy();
  if (hello._tag === "bye" && hello.reason === "incarnation-mismatch") {
    throw new AgentMuxError("INVALID_STATE_TRANSITION", "The session runs in another process now.");
  }
  throw new AgentMuxError("INTERNAL", "The session's process does not speak amux's protocol.");
}

function firstFrame(socket: Socket, decoder: FrameDecoder): Promise<ServerFrame> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      finish();
      socket.destroy();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        decoder.push(Buffer.from(chunk));
        // `hello` is the only frame before our first request.
        const payload = decoder.next();
        if (payload === undefined) return;
        const parsed = payload.kind === "json" ? parseServerFrame(payload.text) : undefined;
        if (parsed?.ok !== true)
          return fail(new AgentMuxError("INTERNAL", "The session's process sent a malformed answer."));
        finish();
        socket.pause();
        resolve(parsed.frame);
      } catch (error) {
        fail(error as Error);
      }
    };
    const onError = (error: Error): void => fail(explain(error));
    const onClose = (): void => fail(notConnected());
    const timer = setTimeout(
      () =>
        fail(new AgentMuxError("TIMEOUT", "The session does not answer; its process may be stopped. See amux kill.")),
      HELLO_WITHIN_MS,
    );
    const finish = (): void => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
    };
    socket.on("data", onData).on("error", onError).once("close", onClose);
  });
}

function explain(error: Error): AgentMuxError {
  // The last two: it ended before it took the connection.
  if (["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(codeOf(error))) return notConnected(error);
  return new AgentMuxError("INTERNAL", `The session's process cannot be reached: ${error.message}`, { cause: error });
}
