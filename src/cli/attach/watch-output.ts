/** Copies a session's output to standard output until the program exits. */
import { constants } from "node:os";
import type { ShimConnection } from "../../client/shim-connection.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { unwritable } from "../output.ts";

const PTY = "pty-1";

export interface CopyOptions {
  /** Offset in the program's output to start at; 0 is its beginning. */
  since: number;
  /** Applied to the bytes. */
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
  const { since, transform = (data: Buffer) => data } = options;
  const resume = (): void => connection.hold(false);
  // `… | head` closes the pipe: the reader has enough.
  const unread = new Promise<number>((resolve, reject) =>
    stdout.on("error", (error) => (codeOf(error) === "EPIPE" ? resolve(READER_GONE) : reject(unwritable(error)))),
  );
  stdout.on("drain", resume);
  const exited = exitOf(connection, since, (data) => {
    if (!stdout.write(transform(data))) connection.hold(true);
  });
  try {
    return await Promise.race([exited, unread]);
  } finally {
    stdout.off("drain", resume);
    connection.close();
  }
}

function exitOf(connection: ShimConnection, since: number, write: (data: Buffer) => void): Promise<number | undefined> {
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
    connection.send({ _tag: "attach", ptyId: PTY, since });
    connection.send({ _tag: "ping" });
  });
}
