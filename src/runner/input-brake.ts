/** Stops reading from a client that types faster than its program reads, so that nothing piles up and nothing is lost. */
import type { Socket } from "node:net";
import type { PtyInput } from "./pty-input.ts";

const ABOVE_BYTES = 1024 * 1024;
const BELOW_BYTES = 64 * 1024;

export class InputBrake {
  private readonly socket: Socket;
  private braking = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  check(input: PtyInput): void {
    if (this.braking || input.pendingBytes <= ABOVE_BYTES) return;
    this.braking = true;
    this.socket.pause();
    void input.drained(BELOW_BYTES).then(() => {
      this.braking = false;
      this.socket.resume();
    });
  }
}
