/** Stops reading from a client that types faster than its program reads, so that input neither piles up nor is lost. */
import type { Socket } from "node:net";
import type { PtyInput } from "./pty-input.ts";

const ABOVE_BYTES = 1024 * 1024;
const BELOW_BYTES = 64 * 1024;

/** A client that is not read gets no answer to its pings, and gives up after 20 seconds. */
const STILL_HERE_EVERY_MS = 5000;

export class InputBackpressure {
  private readonly socket: Socket;
  private readonly stillHere: (() => void) | undefined;
  private braking = false;

  /** `stillHere` signals a paused client now and then that the runner is alive. */
  constructor(socket: Socket, stillHere?: () => void) {
    this.socket = socket;
    this.stillHere = stillHere;
  }

  check(input: Pick<PtyInput, "pendingBytes" | "drained">): void {
    if (this.braking || input.pendingBytes <= ABOVE_BYTES) return;
    this.braking = true;
    this.socket.pause();
    const { stillHere } = this;
    const telling = stillHere === undefined ? undefined : setInterval(stillHere, STILL_HERE_EVERY_MS);
    const hush = (): void => clearInterval(telling);
    this.socket.once("close", hush);
    void input.drained(BELOW_BYTES).then(() => {
      hush();
      this.socket.off("close", hush);
      this.braking = false;
      this.socket.resume();
    });
  }
}
