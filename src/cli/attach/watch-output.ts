/** A session without a terminal to show it on: its output goes to standard output, until the program's exit. */
import type { ShimConnection } from "../../client/shim-connection.ts";

const PTY = "pty-1";

export interface CopyOptions {
  /** Offset in the program's output to begin at; 0 is its beginning. */
  since: number;
  /** What becomes of the bytes. */
  transform?: (data: Buffer) => Uint8Array | string;
}

/** Answers the exit code, or undefined when the connection was lost, or nobody reads any more, before there was one. */
export async function copyOutput(
  open: () => Promise<ShimConnection>,
  options: CopyOptions,
): Promise<number | undefined> {
  const connection = await open();
  const { stdout } = process;
  const { since, transform = (data: Buffer) => data } = options;
  const resume = (): void => connection.hold(false);
  // `… | head` closes the pipe: that is the reader's way of saying enough.
  const leave = (): void => connection.close();
  stdout.on("drain", resume);
  stdout.on("error", leave);
  try {
    return await exitOf(connection, since, (data) => {
      if (!stdout.write(transform(data))) connection.hold(true);
    });
  } finally {
    stdout.off("drain", resume);
    connection.close();
  }
}

function exitOf(connection: ShimConnection, since: number, write: (data: Buffer) => void): Promise<number | undefined> {
  return new Promise((resolve) => {
    connection.subscribe((event) => {
      // More was written than is held: what is on the screen, and from there on.
      if (event._tag === "snapshot") write(Buffer.from(event.state.screen));
      else if (event._tag === "output") write(event.data);
      else if (event._tag === "exit" && event.ptyId === PTY) resolve(event.exitCode);
      else if (event._tag === "closed") resolve(undefined);
    });
    connection.send({ _tag: "attach", ptyId: PTY, since });
  });
}
