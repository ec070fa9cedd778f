/** Tells the daemon that somebody looks, while keys come and something waits: then no phone need ring for it. */

/** Shorter than the time a question waits before it is notified. */
const TELL_EVERY_MS = 3000;
/** An interface left open on a desk is not looked at. */
const LOOKING_MS = 60_000;

export class Looking {
  private readonly hasWaiting: () => boolean;
  private readonly tell: () => void;
  private lastInputAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(hasWaiting: () => boolean, tell: () => void) {
    this.hasWaiting = hasWaiting;
    this.tell = tell;
  }

  input(): void {
    this.lastInputAt = Date.now();
    this.timer ??= setInterval(() => this.look(), TELL_EVERY_MS);
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    if (Date.now() - this.lastInputAt >= LOOKING_MS) return this.close();
    if (this.hasWaiting()) this.tell();
  }
}
