/** Copies a session's output to standard output until the program exits. */
import { constants } from "node:os";
import type { ShimConnection } from "../../client/shim-connection.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { unwritable } from "../output.ts";

const PTY = "pty-1";

export interface CopyOptions {
  /** Offset in the program's output to start at; 0 is its beginning. */
  since: number;
  /** The program waits for a slow reader. Otherwise output that is no longer held is replaced by the screen. */
  whole?: boolean;
  /** Applied to the bytes. By default, the terminal's line ends become a pipe's: `\r\n` becomes `\n`. */
  transform?: (data: Buffer) => Uint8Array | string;
}

/** A shell's exit code for a program that wrote into a closed pipe. */
const READER_GONE = 128 + constants.signals.SIGPIPE;

/**
 * Returns the exit code, or undefined if the connection was lost before it. If the reader closes the pipe, the program continues
 * alone.
 */
export async function copyOutput(
  open: () => Promise<ShimConnection>,
  options: CopyOptions,
): Promise<number | undefined> {
  const connection = await open();
  const { stdout } = process;
  const lines = new PlainLines();
  const { transform = (data: Buffer) => lines.push(data) } = options;
  const resume = (): void => connection.hold(false);
  // `… | head` closes the pipe: the reader has enough.
  const unread = new Promise<number>((resolve, reject) =>
    stdout.on("error", (error) => (codeOf(error) === "EPIPE" ? resolve(READER_GONE) : reject(unwritable(error)))),
  );
  stdout.on("drain", resume);
  const exited = exitOf(connection, options, (data) => {
    if (!stdout.write(transform(data))) connection.hold(true);
  });
  try {
    const code = await Promise.race([exited, unread]);
    if (code !== READER_GONE) stdout.write(lines.rest());
    return code;
  } finally {
    stdout.off("drain", resume);
    connection.close();
  }
}

const RETURN = 0x0d;

/** Removes the return that a terminal puts before each newline. */
class PlainLines {
  private isReturnHeld = false;

  push(data: Buffer): Buffer {
    const bytes = this.isReturnHeld ? Buffer.concat([Buffer.from([RETURN]), data]) : data;
    this.isReturnHeld = bytes.at(-1) === RETURN;
    const whole = this.isReturnHeld ? bytes.subarray(0, -1) : bytes;
    return Buffer.from(whole.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  }

  rest(): string {
    return this.isReturnHeld ? "\r" : "";
  }
}

function exitOf(
  connection: ShimConnection,
  { since, whole = false }: CopyOptions,
  write: (data: Buffer) => void,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    let isAnswered = false;
    let exitCode: number | undefined;
    connection.subscribe((event) => {
      // The requested offset is no longer held: start with the screen.
      if (event._tag === "snapshot") write(Buffer.from(event.state.screen));
      else if (event._tag === "output") write(event.data);
      else if (event._tag === "closed") return resolve(undefined);
      if (event._tag === "exit" && event.ptyId === PTY) {
        // Reported before the runner handled our request: the output follows, and the exit again.
        if (isAnswered || exitCode !== undefined) return resolve(event.exitCode);
        exitCode = event.exitCode;
      } else if (["snapshot", "output"].includes(event._tag)) isAnswered = true;
      else if (event._tag === "pong") {
        // There was no output.
        if (exitCode !== undefined && !isAnswered) resolve(exitCode);
        isAnswered = true;
      }
    });
    connection.send({ _tag: "attach", ptyId: PTY, since, whole });
    connection.send({ _tag: "ping" });
  });
}
