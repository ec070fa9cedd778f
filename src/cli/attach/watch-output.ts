/** A session without a terminal to show it on: its output goes to standard output, from the beginning to the exit. */
import { openShimConnection } from "../../client/open-shim-connection.ts";
import type { ShimConnection } from "../../client/shim-connection.ts";

const PTY = "pty-1";

/** From the beginning. Answers the exit code, or undefined when the connection was lost before there was one. */
export function copyOutput(socketPath: string): Promise<number | undefined> {
  return copy(socketPath, () => 0);
}

/** What comes from now on. */
export function followOutput(socketPath: string): Promise<number | undefined> {
  return copy(socketPath, (connection) => connection.ptys().find(({ ptyId }) => ptyId === PTY)?.seq ?? 0);
}

async function copy(socketPath: string, from: (connection: ShimConnection) => number): Promise<number | undefined> {
  const connection = await openShimConnection(socketPath);
  const { stdout } = process;
  const resume = (): void => connection.hold(false);
  stdout.on("drain", resume);
  try {
    return await exitOf(connection, from(connection), (data) => {
      if (!stdout.write(data)) connection.hold(true);
    });
  } finally {
    stdout.off("drain", resume);
    connection.close();
  }
}

function exitOf(
  connection: ShimConnection,
  since: number,
  write: (data: Uint8Array) => void,
): Promise<number | undefined> {
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
