/** A session without a terminal to show it on: its output goes to standard output, until the program's exit. */
import { constants } from "node:os";
import type { ShimConnection } from "../../client/shim-connection.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { unwritable } from "../output.ts";

const PTY = "pty-1";

export interface CopyOptions {
  /** Offset in the program's output to begin at; 0 is its beginning. */
  since: number;
  /** What becomes of the bytes. */
  transform?: (data: Buffer) => Uint8Array | string;
}

/** What a shell says of a program that wrote into a pipe which nobody reads any more. */
const READER_GONE = 128 + constants.signals.SIGPIPE;

/**
 * Answers the exit code, or undefined when the connection was lost before there was one. When nobody reads any more the
 * program goes on alone.
 */
export async function copyOutput(
  open: () => Promise<ShimConnection>,
  options: CopyOptions,
): Promise<number | undefined> {
  const connection = await open();
  const { stdout } = process;
  const { since, transform = (data: Buffer) => data } = options;
  const resume = (): void => connection.hold(false);
  // `… | head` closes the pipe: that is the reader's way of saying enough.
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
      // More was written than is held: what is on the screen, and from there on.
      if (event._tag === "snapshot") write(Buffer.from(event.state.screen));
      else if (event._tag === "output") write(event.data);
      else if (event._tag === "closed") return resolve(undefined);
      if (event._tag === "exit" && event.ptyId === PTY) {
        // Told before the runner knew that we want the output: that comes now, and the exit again.
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
