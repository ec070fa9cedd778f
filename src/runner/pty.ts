/**
 * One program in a pseudo-terminal. Output arrives completely and in order, even if the program exits at once or reading was
 * paused; the exit is reported once, after the last byte.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ConnectOpts, SocketConstructorOpts } from "node:net";
import { constants as osConstants } from "node:os";
import { ReadStream } from "node:tty";
import { codeOf } from "../lib/fs/directory.ts";
import { CURRENT_USER, nativePty, spawnHelper } from "./native-pty.ts";
import { PtyInput } from "./pty-input.ts";

/**
 * The kernel's maximum per read. libuv takes a partly filled buffer as the end and goes round the event loop; a buffer of this
 * size is read again at once.
 */
const READ_BYTES = 4095;

/** For the rest after the program has ended. */
const LAST_READ_BYTES = 65_536;

export interface PtyOptions {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  cols: number;
  rows: number;
}

export interface PtyExit {
  exitCode: number;
  /** `SIGKILL`, if a signal ended the program; the exit code is then 128 plus the signal's number. */
  signal?: string;
}

export interface PtyListener {
  /** The bytes are valid only during the call. */
  onData(data: Buffer): void;
  onExit(exit: PtyExit): void;
}

export class Pty {
  readonly pid: number;
  readonly input: PtyInput;
  private readonly fd: number;
  /**
   * We keep the slave side open: otherwise the kernel hangs up when the program ends, and libuv drops bytes that still wait. -1
   * once released.
   */
  private slaveFd: number;
  private readonly stream: ReadStream;
  private readonly listener: PtyListener;
  private ended = false;

  constructor(options: PtyOptions, listener: PtyListener) {
    const onExit = (code: number, signal: number): void => this.finish(code, signal);
    const { pid, fd, slaveFd } = fork(options, onExit);
    this.listener = listener;
    this.pid = pid;
    this.fd = fd;
    this.slaveFd = slaveFd;
    this.input = new PtyInput(this.fd);
    this.stream = this.openStream();
    this.stream.resume();
  }

  private openStream(): ReadStream {
    // One buffer for all reads: the listener copies what it needs.
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const options: SocketConstructorOpts & Pick<ConnectOpts, "onread"> = {
      onread: {
        buffer,
        callback: (bytes) => {
          this.listener.onData(buffer.subarray(0, bytes));
          return true;
        },
      },
    };
    const stream = new ReadStream(this.fd, options);
    // EIO means nobody is left on the other side; the exit covers that.
    stream.on("error", () => undefined);
    return stream;
  }

  pause(): void {
    if (!this.ended) this.stream.pause();
  }

  resume(): void {
    if (!this.ended) this.stream.resume();
  }

  resize(cols: number, rows: number): void {
    if (!this.ended) nativePty.resize(this.fd, cols, rows);
  }

  /** Closes the terminal, whatever runs in it. */
  hangUp(): void {
    this.finish(0, 0);
  }

  private finish(code: number, signal: number): void {
    if (this.ended) return;
    this.ended = true;
    this.input.close();
    // Once with our slave open, once without: bytes still in the kernel's buffers arrive before the error.
    this.readAll();
    closeSync(this.slaveFd);
    this.slaveFd = -1;
    this.readAll();
    this.stream.destroy();
    this.listener.onExit(signal === 0 ? { exitCode: code } : { exitCode: 128 + signal, signal: signalName(signal) });
  }

  /** Reads everything available; the descriptor does not block. */
  private readAll(): void {
    const buffer = Buffer.allocUnsafe(LAST_READ_BYTES);
    for (;;) {
      let bytes: number;
      try {
        bytes = readSync(this.fd, buffer);
      } catch (error) {
        if (codeOf(error) === "EINTR") continue;
        return; // EAGAIN: nothing more for now. EIO: nothing more at all.
      }
      if (bytes === 0) return;
      this.listener.onData(buffer.subarray(0, bytes));
    }
  }
}

interface OpenPty {
  pid: number;
  fd: number;
  slaveFd: number;
}

function fork(options: PtyOptions, onExit: (code: number, signal: number) => void): OpenPty {
  const [file = "", ...args] = options.command;
  const env = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
  const { uid, gid } = CURRENT_USER;
  const { cwd, cols, rows } = options;
  const { pid, fd, pty } = nativePty.fork(file, args, env, cwd, cols, rows, uid, gid, true, spawnHelper, onExit);
  return { pid, fd, slaveFd: openSync(pty, constants.O_RDWR | constants.O_NOCTTY) };
}

function signalName(number: number): string {
  const found = Object.entries(osConstants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `signal ${number}`;
}
