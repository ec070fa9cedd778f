/**
 * The time budget for parsing the output of all panes, so that a flood does not delay keys. Output over the budget
 * waits for the next frame; a session far ahead is shown by snapshots only.
 */

/** One display frame. */
const WINDOW_MS = 1000 / 60;

/** The share of each window for parsing; the rest is for keys, drawing and the session's process. */
const BUDGET_MS = 6;

export class ParseBudget {
  private windowAt = 0;
  private usedMs = 0;

  /** Milliseconds until parsing may continue; 0 for now. */
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
