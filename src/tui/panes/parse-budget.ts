/**
 * How much of the processor panes may use for reading output. A flood in one pane must not make a key press wait, and
 * nobody sees more than the display shows: what is over the budget waits for the next frame, and a session that is far
 * ahead is looked at by pictures only.
 */

/** One frame of the display. */
const WINDOW_MS = 1000 / 60;

/** Of each window; the rest is for keys and painting, and for the session's own process. */
const BUDGET_MS = 6;

export class ParseBudget {
  private windowAt = 0;
  private usedMs = 0;

  /** Milliseconds until work may go on; 0: now. */
  waitMs(): number {
    const now = performance.now();
    if (now - this.windowAt >= WINDOW_MS) {
      this.windowAt = now;
      this.usedMs = 0;
    }
    return this.usedMs < BUDGET_MS ? 0 : this.windowAt + WINDOW_MS - now;
  }

  spend<T>(work: () => T): T {
    const from = performance.now();
    try {
      return work();
    } finally {
      this.usedMs += performance.now() - from;
    }
  }
}
