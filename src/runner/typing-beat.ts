/**
 * What is to be done again and again while somebody types, all of it in one moment: every time a process wakes up it may be in the
 * way of a key, and to set a timer after an echo delays who is to hear it (30 microseconds, cold).
 */

/** Soon enough for whatever nobody waits for. */
export const BEAT_MS = 100;

export class TypingBeat {
  private readonly tasks = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  join(task: () => void): void {
    this.tasks.add(task);
    this.timer ??= setInterval(this.beat, BEAT_MS).unref();
  }

  leave(task: () => void): void {
    this.tasks.delete(task);
    if (this.tasks.size === 0) this.stop();
  }

  stop(): void {
    this.tasks.clear();
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private readonly beat = (): void => {
    for (const task of this.tasks) task();
  };
}
