/**
 * Sockets and terminals for keys and echoes. Node's streams take longer over a few bytes than the kernel and a program
 * together: every read allocates 64 KB, and both ways lead through a dozen functions and a queue. Here a read lands in one
 * buffer, and a write goes straight to the kernel. Ends, errors and back pressure remain the stream's own.
 */
import { readSync, writeSync } from "node:fs";
import { connect, Socket, type ConnectOpts, type OnReadOpts, type SocketConstructorOpts } from "node:net";
import { ReadStream, type WriteStream } from "node:tty";
import { codeOf } from "./directory.ts";
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

/** What a stream does at its end, as it is documented for those who write streams. */
interface WithEnd {
  _destroy(error: Error | null, done: (error?: Error | null) => void): void;
  _final(done: (error?: Error | null) => void): void;
}

/** An object, not a function: V8 puts the methods of a few classes in the place where they are called, but of one function only. */
export interface ByteListener {
  /** Valid during the call only: it copies what it keeps. */
  hear(bytes: Buffer): void;
}

/** Says `data` as any socket does, but whoever hears it must copy what it keeps. */
export function connectQuickly(path: string): Socket {
  const socket: Socket = connect({ path, onread: telling({ hear: (bytes) => void socket.emit("data", bytes) }) });
  return socket;
}

/**
 * The same connection, quick, paused; it says no `data`, but tells the listener. What the given
 * socket was told (listeners, pausing) is not taken over, and nothing may wait in it.
 */
export function quicken(accepted: Socket, listener: ByteListener): Socket {
  const owner = accepted as WithHandle;
  const handle = owner._handle;
  if (handle === undefined || handle === null)
    return accepted.on("data", (bytes: Buffer) => listener.hear(bytes)).pause();
  owner._handle = null;
  const options: SocketConstructorOpts & Pick<ConnectOpts, "onread"> & { handle: Handle; pauseOnCreate: true } = {
    handle,
    onread: telling(listener),
    pauseOnCreate: true,
  };
  return new Socket(options);
}

/** What is typed into a terminal, told to the listener. It is paused. */
export function readTerminalQuickly(fd: number, listener: ByteListener): ReadStream {
  const options: SocketConstructorOpts & Pick<ConnectOpts, "onread"> = { onread: telling(listener) };
  return new ReadStream(fd, options).pause();
}

/**
 * What lies in a socket at this moment, without going back to the event loop: valid until the next read, empty at the end,
 * undefined when there is nothing yet.
 */
export function readNow(socket: Socket): Buffer | undefined {
  const fd = (socket as WithHandle)._handle?.fd ?? -1;
  if (fd < 0) return firstBytes(0);
  try {
    return firstBytes(readSync(fd, READ_BUFFER));
  } catch (error) {
    // Whatever else it is, nothing will come any more.
    return codeOf(error) === "EAGAIN" ? undefined : firstBytes(0);
  }
}

/**
 * Writes to a stream, past the stream while nothing waits in it. It asks the stream nothing that it can know itself: a
 * stream's own answers take longer than the kernel.
 */
export class QuickWriter {
  private readonly stream: Socket | WriteStream;
  private readonly fd: number;
  /** Nothing waits in the stream, and the descriptor is the stream's still. */
  private isFree: boolean;
  private readonly onFree: () => void;

  /** Of a stream that is connected; `onFree` is told when all that had to wait has gone. */
  constructor(stream: Socket | WriteStream, onFree: () => void = () => undefined) {
    this.stream = stream;
    this.onFree = onFree;
    this.fd = (stream as WithHandle)._handle?.fd ?? -1;
    this.isFree = this.fd >= 0 && stream.writable && stream.writableLength === 0;
    this.watchForEnd();
  }

  /** Bytes that the kernel has not taken yet. */
  get waitingBytes(): number {
    return this.isFree ? 0 : this.stream.writableLength;
  }

  /** More than a little must not be changed afterwards. False: wait for the stream's `drain`. */
  write(bytes: Uint8Array): boolean {
    let taken = 0;
    if (this.isFree && bytes.length <= DIRECT_BYTES) {
      try {
        taken = writeSync(this.fd, bytes);
      } catch {
        // No room, or nobody there any more: the stream waits for the one and tells of the other.
      }
      if (taken === bytes.length) return true;
    }
    return this.leave(bytes, taken);
  }

  /** Before all that waits, as far as there is room for it: for who lets the stream go now. */
  writeLast(bytes: Uint8Array): void {
    if (this.fd < 0 || !this.stream.writable) return;
    try {
      writeSync(this.fd, bytes);
    } catch {
      // It takes nothing, or is gone.
    }
  }

  /** To the stream. */
  private leave(bytes: Uint8Array, from: number): boolean {
    this.isFree = false;
    if (!this.stream.writable) return false;
    const rest = bytes.subarray(from);
    return this.stream.write(bytes.length <= COPIED_BYTES ? Buffer.from(rest) : rest, () => {
      this.isFree = this.fd >= 0 && this.stream.writable && this.stream.writableLength === 0;
      if (this.isFree) this.onFree();
    });
  }

  /** The descriptor's number may be another file's a moment after the stream has closed it: before that, it is let go. */
  private watchForEnd(): void {
    const stream = this.stream as WithEnd;
    const { _destroy, _final } = stream;
    stream._destroy = (error, done): void => {
      this.isFree = false;
      _destroy.call(stream, error, done);
    };
    stream._final = (done): void => {
      this.isFree = false;
      _final.call(stream, done);
    };
  }
}

function telling(listener: ByteListener): OnReadOpts {
  const callback = (length: number): boolean => {
    listener.hear(firstBytes(length));
    return true;
  };
  return { buffer: READ_BUFFER, callback };
}
