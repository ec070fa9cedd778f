/** Announces changes of titles and names: the first at once, close successors together. */
import type { MetaChange } from "../protocol/runner-api.ts";

/** Agents animate their titles ten times a second; a list needs no more than this. */
const TELL_EVERY_MS = 250;

export class MetaChanges {
  private readonly tell: (change: MetaChange) => void;
  private pending: MetaChange = {};
  private timer: NodeJS.Timeout | undefined;

  constructor(tell: (change: MetaChange) => void) {
    this.tell = tell;
  }

  add(change: MetaChange): void {
    Object.assign(this.pending, change);
    if (this.timer !== undefined) return;
    this.flush();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.flush();
    }, TELL_EVERY_MS);
  }

  flush(): void {
    if (Object.keys(this.pending).length === 0) return;
    const change = this.pending;
    this.pending = {};
    this.tell(change);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}
