/**
 * Input for a terminal: in order, never lost, never blocking. The kernel refuses more than a few KB until the program reads, and
 * libuv would spin on that, so writes are retried here after a pause.
 */
import { writeSync } from "node:fs";
import { codeOf } from "../lib/fs/directory.ts";

/** The first pause suits a program that is reading; the longest limits the cost of one that is not. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 100;

export class PtyInput {
  private readonly fd: number;
  private queue: Uint8Array[] = [];
  private pending = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private waiting: { below: number; resolve: () => void }[] = [];

  constructor(fd: number) {
    this.fd = fd;
  }

  /** Bytes accepted here and not yet by the kernel. */
  get pendingBytes(): number {
    return this.pending;
  }

  /** Copies what has to wait. */
  write(data: Uint8Array): void {
    if (this.closed || data.length === 0) return;
    // Fast path for a key: nothing is queued, and the kernel takes it whole.
    const taken = this.pending === 0 ? this.offer(data) : 0;
    if (taken === data.length || this.closed) return;
    this.queue.push(Buffer.from(data.subarray(taken)));
    this.pending += data.length - taken;
    if (this.timer === undefined) this.flush();
  }

  /** Resolves when at most `below` bytes wait, or the terminal is gone. */
  drained(below: number): Promise<void> {
    if (this.closed || this.pending <= below) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ below, resolve }));
  }

  close(): void {
    this.closed = true;
    this.queue = [];
    this.pending = 0;
    clearTimeout(this.timer);
    this.release();
  }

  private flush(): void {
    this.timer = undefined;
    let head = this.queue[0];
    while (head !== undefined) {
      const taken = this.offer(head);
      if (taken === 0) break;
      this.pending -= taken;
      this.pauseMs = FIRST_PAUSE_MS;
      if (taken < head.length) this.queue[0] = head.subarray(taken);
      else this.queue.shift();
      head = this.queue[0];
    }
    this.release();
    if (head === undefined || this.closed) return;
    this.timer = setTimeout(() => this.flush(), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }

  private offer(data: Uint8Array): number {
    try {
      return writeSync(this.fd, data);
    } catch (error) {
      // Any other error (EIO: everyone closed the terminal) is final, and the exit follows.
      if (codeOf(error) !== "EAGAIN") this.close();
      return 0;
    }
  }

  private release(): void {
    const ready = this.waiting.filter(({ below }) => this.closed || this.pending <= below);
    if (ready.length === 0) return;
    this.waiting = this.waiting.filter((wait) => !ready.includes(wait));
    for (const { resolve } of ready) resolve();
  }
}
