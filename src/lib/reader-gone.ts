/**
 * Whether a pipe still has a reader, known without writing to it. The system tells whoever waits for the writing end to
 * become readable, which it never does; Node lets nobody wait for that, except on what it takes for a network socket.
 */
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { isTriedNode } from "./tried-node.ts";

/** Node's own, undocumented and older than Node's modules. Without it the next write tells. */
interface HandleBinding {
  TCP: new (kind: number) => { open(fd: number): number };
  constants: { SOCKET: number };
}

/** Calls back once, when nobody reads from the pipe any more; never where the system does not tell. The answer ends the watch. */
export function onReaderGone(fd: number, act: () => void): () => void {
  if (process.platform !== "linux" || !isTriedNode() || !fstatSync(fd).isFIFO()) return () => undefined;
  let own: number | undefined;
  try {
    // A descriptor of its own: the other one's stream waits for other things.
    own = openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
    const { TCP, constants: kinds } = (process as unknown as { binding(name: string): HandleBinding }).binding(
      "tcp_wrap",
    );
    const handle = new TCP(kinds.SOCKET);
    if (handle.open(own) !== 0) throw new Error("It cannot be waited for.");
    const options: ConstructorParameters<typeof Socket>[0] & { handle: object } = { handle, writable: false };
    const socket = new Socket(options);
    // How the writing end of a pipe says that it has become readable.
    socket.once("error", () => undefined).once("close", act);
    socket.resume().unref();
    return () => void socket.off("close", act).destroy();
  } catch {
    // Whoever writes to it hears of it with the next piece, as everywhere else.
    if (own !== undefined) closeSync(own);
    return () => undefined;
  }
}
