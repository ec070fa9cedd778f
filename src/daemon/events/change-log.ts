/**
 * Names of changes in order. A consumer is a position in this log and gets the current state of every later name, so a slow one
 * costs no memory and never ends up with an old state. One that falls off the end restarts.
 */

/** About a minute of 50 busy sessions. */
const DEFAULT_CAPACITY = 4096;

export interface ChangeLogEntry {
  position: number;
  name: string;
  at: number;
}

export class ChangeLog {
  readonly #capacity: number;
  #entries: ChangeLogEntry[] = [];
  /** Position of each name's newest entry. */
  readonly #newest = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #position = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  get position(): number {
    return this.#position;
  }

  append(name: string): void {
    const entry = { position: ++this.#position, name, at: performance.now() };
    this.#entries.push(entry);
    this.#newest.set(name, entry.position);
    // Half at a time: removing one by one would move all the others.
    if (this.#entries.length > 2 * this.#capacity) this.#forget(this.#entries.length - this.#capacity);
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Whether all changes after the position are still known. */
  knows(position: number): boolean {
    return position >= this.#first - 1 && position <= this.#position;
  }

  /** Names that changed after the position, each at its newest place; undefined if no longer known. */
  after(position: number): ChangeLogEntry[] | undefined {
    if (!this.knows(position)) return undefined;
    const later = this.#entries.slice(position - this.#first + 1);
    return later.filter((entry) => this.#newest.get(entry.name) === entry.position);
  }

  /** Calls `wake` once, at the next change. Returns a cancel function. */
  onNext(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  get #first(): number {
    return this.#entries[0]?.position ?? this.#position + 1;
  }

  #forget(count: number): void {
    for (const { name, position } of this.#entries.splice(0, count)) {
      if (this.#newest.get(name) === position) this.#newest.delete(name);
    }
  }
}
