/**
 * What has changed, in order, as names only. A consumer of events is a position in this log: it is sent, for every name
 * after its position, the state as it is when it can take it. So a slow consumer costs no memory, skips what has been
 * overtaken, and can never be left with an old state. Who falls off the log's end is told everything anew.
 */

/** Names held; about a minute of 50 busy sessions. */
const DEFAULT_CAPACITY = 4096;

export interface ChangeLogEntry {
  position: number;
  name: string;
  at: number;
}

export class ChangeLog {
  readonly #capacity: number;
  #entries: ChangeLogEntry[] = [];
  /** The position of each name's newest entry. */
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
    // Half at a time: taking off one by one would move all the others every time.
    if (this.#entries.length > 2 * this.#capacity) this.#forget(this.#entries.length - this.#capacity);
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Whether it is still known what changed after the position. */
  knows(position: number): boolean {
    return position >= this.#first - 1 && position <= this.#position;
  }

  /** Names that changed after the position, each at its newest place; undefined when that is no longer known. */
  after(position: number): ChangeLogEntry[] | undefined {
    if (!this.knows(position)) return undefined;
    const later = this.#entries.slice(position - this.#first + 1);
    return later.filter((entry) => this.#newest.get(entry.name) === entry.position);
  }

  /** Calls back once, at the next change. The answer takes it back. */
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
