/** Gives memory back when a session has been quiet: V8 does not collect what nobody is asking it for. */

const AFTER_CALM_MS = 4000;
const AT_MOST_EVERY_MS = 20_000;

export class IdleCollector {
  private readonly isCalm: () => boolean;
  private timer: NodeJS.Timeout | undefined;
  private collectedAt = Number.NEGATIVE_INFINITY;

  /** `isCalm`: there is no output, and nobody types. */
  constructor(isCalm: () => boolean) {
    this.isCalm = isCalm;
  }

  /** Called when output has stopped for a moment. */
  calm(): void {
    const soon = Math.max(AFTER_CALM_MS, Math.ceil(this.collectedAt + AT_MOST_EVERY_MS - performance.now()));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.collect(), soon);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private collect(): void {
    // It would be in the way of the next key; when they stop, we are told.
    if (!this.isCalm()) return;
    this.collectedAt = performance.now();
    // There only when the process was started with --expose-gc.
    globalThis.gc?.();
  }
}
