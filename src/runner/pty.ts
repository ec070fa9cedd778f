/**
 * One program in one pseudo-terminal. It owns the descriptors: what the program writes arrives completely and
 * in order, also when it exits at once or while reading was paused, and the exit is told once, after the last byte.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ConnectOpts, SocketConstructorOpts } from "node:net";
import { constants as osConstants } from "node:os";
import { ReadStream } from "node:tty";
import { codeOf } from "../lib/fs/directory.ts";
import { CURRENT_USER, nativePty, spawnHelper } from "./native-pty.ts";
import { PtyInput } from "./pty-input.ts";

/**
 * What the kernel hands out at once at most. libuv takes a buffer it could not fill for a sign that there is no more and
 * goes round the event loop; one that fits is read again at once, and a flood comes in pieces worth parsing.
 */
const READ_BYTES = 4095;

/** For what is left when the program has ended. */
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
  /** `SIGKILL`, when a signal ended the program; the exit code is then 128 and the signal's number. */
  signal?: string;
}

export interface PtyListener {
  /** The bytes are only valid during the call. */
  onData(data: Buffer): void;
  onExit(exit: PtyExit): void;
}

export class Pty {
  readonly pid: number;
  readonly input: PtyInput;
  private readonly fd: number;
  /** Our own hold on the program's side: without it the kernel hangs up as soon as the program ends, and libuv
   * takes the hang-up for the end although bytes are still waiting. -1 once released. */
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
    // One buffer for all reads: the listener copies what it needs, and nothing is allocated per read.
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
    // EIO is how a terminal says that nobody is left on the other side; the exit tells the rest.
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

  /** The end of the terminal, whatever runs in it. */
  hangUp(): void {
    this.finish(0, 0);
  }

  private finish(code: number, signal: number): void {
    if (this.ended) return;
    this.ended = true;
    this.input.close();
    // First with our hold, then without: what the kernel still moves between its buffers arrives before the error.
    this.readAll();
    closeSync(this.slaveFd);
    this.slaveFd = -1;
    this.readAll();
    this.stream.destroy();
    this.listener.onExit(signal === 0 ? { exitCode: code } : { exitCode: 128 + signal, signal: signalName(signal) });
  }

  /** Everything that is there; the descriptor does not block. */
  private readAll(): void {
    const buffer = Buffer.allocUnsafe(LAST_READ_BYTES);
    for (;;) {
      let bytes: number;
      try {
        bytes = readSync(this.fd, buffer);
      } catch (error) {
        if (codeOf(error) === "EINTR") continue;
        return; // EAGAIN: nothing more for now. EIO: nothing more for ever.
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
