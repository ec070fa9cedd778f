/** Returns memory after a session has been quiet: V8 does not collect on its own then. */

const AFTER_CALM_MS = 4000;
const AT_MOST_EVERY_MS = 20_000;

export class IdleCollector {
  private readonly isCalm: () => boolean;
  private timer: NodeJS.Timeout | undefined;
  private collectedAt = Number.NEGATIVE_INFINITY;

  /** `isCalm`: no output, and nobody types. */
  constructor(isCalm: () => boolean) {
    this.isCalm = isCalm;
  }

  /** Called when output has paused. */
  calm(): void {
    const soon = Math.max(AFTER_CALM_MS, Math.ceil(this.collectedAt + AT_MOST_EVERY_MS - performance.now()));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.collect(), soon);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private collect(): void {
    // A collection would delay the next key; the next pause comes here again.
    if (!this.isCalm()) return;
    this.collectedAt = performance.now();
    // Present only with --expose-gc.
    globalThis.gc?.();
  }
}
