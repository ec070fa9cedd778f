/** The two time limits of a run: in total, and without output. Both pause while the run is held. */

export type DeadlineKind = "run" | "inactivity";

export class Deadlines {
  readonly #run: StoppableTimer;
  readonly #inactivity: StoppableTimer;

  /** 0 is no limit. */
  constructor(runMs: number, inactivityMs: number, onMissed: (kind: DeadlineKind) => void) {
    this.#run = new StoppableTimer(runMs, () => onMissed("run"));
    this.#inactivity = new StoppableTimer(inactivityMs, () => onMissed("inactivity"));
  }

  start(): void {
    this.#run.go();
  }

  /** The agent is expected to print something from now on. */
  expectOutput(): void {
    this.#inactivity.reset();
    this.#inactivity.go();
  }

  sawOutput(): void {
    this.#inactivity.reset();
  }

  /** The agent may be silent: it is paused, waits for an answer, or its reader is slow. */
  excuseSilence(isExcused: boolean): void {
    if (isExcused) this.#inactivity.stop();
    else this.#inactivity.go();
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#run.stop();
    else this.#run.go();
  }

  close(): void {
    this.#run.stop();
    this.#inactivity.stop();
  }
}

/** Node fires a longer timer at once. */
const LONGEST_MS = 2 ** 31 - 1;

class StoppableTimer {
  readonly #limitMs: number;
  readonly #onEnd: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, onEnd: () => void) {
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
    this.#onEnd = onEnd;
  }

  go(): void {
    if (this.#limitMs === 0 || this.#timer) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#check(), Math.min(this.#leftMs, LONGEST_MS));
  }

  stop(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  /** Cheap, because it is called for every chunk of output: the timer checks when it fires. */
  reset(): void {
    this.#leftMs = this.#limitMs;
    this.#startedAt = performance.now();
  }

  #check(): void {
    this.#timer = undefined;
    const left = this.#leftMs - (performance.now() - this.#startedAt);
    if (left <= 0) this.#onEnd();
    else this.#timer = setTimeout(() => this.#check(), Math.min(left, LONGEST_MS));
  }
}
