/** When to paint: immediately after a pause, else 60 times a second, and never while the terminal is busy. */

/** 60 per second. */
const FRAME_MS = 1000 / 60;

export class FramePacer {
  private readonly paint: () => boolean;
  private timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  private lastAt = Number.NEGATIVE_INFINITY;
  private wanted = false;
  private blocked = false;
  private stopped = false;

  /** `paint` returns false if the terminal is slow; call `resume` when it has caught up. */
  constructor(paint: () => boolean) {
    this.paint = paint;
  }

  /** `atOnce` skips the wait for the next frame. */
  request(atOnce = false): void {
    this.wanted = true;
    if (this.blocked || this.stopped) return;
    if (atOnce) this.cancel();
    if (this.timer !== undefined) return;
    const wait = atOnce ? 0 : this.lastAt + FRAME_MS - performance.now();
    // Deferred, so that input from the same read shares a frame.
    const go = (): void => this.frame();
    this.timer = wait <= 0 ? setImmediate(go) : setTimeout(go, wait);
  }

  resume(): void {
    this.blocked = false;
    if (this.wanted) this.request();
  }

  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  private cancel(): void {
    clearTimeout(this.timer as NodeJS.Timeout);
    clearImmediate(this.timer as NodeJS.Immediate);
    this.timer = undefined;
  }

  private frame(): void {
    this.timer = undefined;
    if (this.stopped) return;
    this.wanted = false;
    this.lastAt = performance.now();
    this.blocked = !this.paint();
  }
}
