/**
 * Sockets and terminals for keys and echoes. Node's streams take longer over a few bytes than the kernel and a program
 * together: every read allocates 64 KB, and both ways lead through a dozen functions and a queue. Here a read lands in one
 * buffer, and a write goes straight to the kernel. Ends, errors and back pressure remain the stream's own.
 */
import { writeSync } from "node:fs";
import { connect, Socket, type ConnectOpts, type OnReadOpts, type SocketConstructorOpts } from "node:net";
import { ReadStream, type WriteStream } from "node:tty";
import { leadingViews } from "./leading-views.ts";

/** For all of the process: what was read is copied before anything else is read. */
const READ_BUFFER = new Uint8Array(65_536);
const firstBytes = leadingViews(Buffer.from(READ_BUFFER.buffer));

/** More than this is a flood, for which the way does not matter. */
const DIRECT_BYTES = 16_384;

/** So little is copied when it has to wait. */
const COPIED_BYTES = 2048;

/** What Node keeps under a socket: undocumented, and unchanged for ten years. Without it a socket is as slow as usual. */
interface Handle {
  fd?: number;
}
interface WithHandle {
  _handle?: Handle | null;
}

/** Says `data` as any socket does, but whoever hears it must copy what it keeps. */
export function connectQuickly(path: string): Socket {
  const socket: Socket = connect({ path, onread: telling((bytes) => void socket.emit("data", bytes)) });
  return socket;
}

/**
 * The same connection, quick, paused; it says no `data`, but tells `onBytes`, which must copy what it keeps. What the given
 * socket was told (listeners, pausing) is not taken over, and nothing may wait in it.
 */
export function quicken(accepted: Socket, onBytes: (bytes: Buffer) => void): Socket {
  const owner = accepted as WithHandle;
  const handle = owner._handle;
  if (handle === undefined || handle === null) return accepted.on("data", onBytes).pause();
  owner._handle = null;
  const options: SocketConstructorOpts & Pick<ConnectOpts, "onread"> & { handle: Handle; pauseOnCreate: true } = {
    handle,
    onread: telling(onBytes),
    pauseOnCreate: true,
  };
  return new Socket(options);
}

/** What is typed into a terminal, told to `onBytes`, which must copy what it keeps. It is paused. */
export function readTerminalQuickly(fd: number, onBytes: (bytes: Buffer) => void): ReadStream {
  const options: SocketConstructorOpts & Pick<ConnectOpts, "onread"> = { onread: telling(onBytes) };
  return new ReadStream(fd, options).pause();
}

/** More than a little must not be changed afterwards. False: wait for `drain`. */
export function writeQuickly(stream: Socket | WriteStream, bytes: Uint8Array): boolean {
  const fd = (stream as WithHandle)._handle?.fd ?? -1;
  const isFree = fd >= 0 && stream.writable && stream.writableLength === 0 && !stream.connecting;
  if (!isFree || bytes.length > DIRECT_BYTES) return stream.write(waiting(bytes, 0));
  let taken = 0;
  try {
    taken = writeSync(fd, bytes);
  } catch {
    // No room, or nobody there any more: the stream waits for the one and tells of the other.
  }
  return taken === bytes.length || stream.write(waiting(bytes, taken));
}

function waiting(bytes: Uint8Array, from: number): Uint8Array {
  const rest = bytes.subarray(from);
  return bytes.length <= COPIED_BYTES ? Buffer.from(rest) : rest;
}

function telling(onBytes: (bytes: Buffer) => void): OnReadOpts {
  const callback = (length: number): boolean => {
    onBytes(firstBytes(length));
    return true;
  };
  return { buffer: READ_BUFFER, callback };
}
