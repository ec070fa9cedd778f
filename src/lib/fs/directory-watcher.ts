/**
 * Reports changes in many directories with one watch each, not recursive. Directories that cannot be watched are counted so that
 * a caller can poll.
 */
import { watch, type FSWatcher } from "node:fs";
import { basename } from "node:path";

export interface DirectoryEvent {
  directory: string;
  /** The entry's name; undefined if the system does not report it or the directory is gone. */
  name: string | undefined;
  /** The entry appeared or disappeared; otherwise its contents changed. */
  appeared: boolean;
}

export class DirectoryWatcher {
  readonly #watches = new Map<string, FSWatcher>();
  readonly #unwatched = new Set<string>();
  readonly #onEvent: (event: DirectoryEvent) => void;

  constructor(onEvent: (event: DirectoryEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Existing directories without a watch: the system's limit was reached, or they are unreadable. */
  get unwatched(): number {
    return this.#unwatched.size;
  }

  has(directory: string): boolean {
    return this.#watches.has(directory);
  }

  /** Replaces the set of watched directories. */
  set(directories: ReadonlySet<string>): void {
    for (const directory of this.#watches.keys()) if (!directories.has(directory)) this.#stop(directory);
    this.#unwatched.clear();
    for (const directory of directories) this.add(directory);
  }

  add(directory: string): void {
    if (this.#watches.has(directory)) return;
    try {
      const watcher = watch(directory, { persistent: false }, (type, name) => {
        // Its own name: it was removed or moved away. The watch would stay with it, whatever takes its place.
        if (type === "rename" && name === basename(directory)) this.#renew(directory);
        this.#onEvent({ directory, name: name ?? undefined, appeared: type === "rename" });
      });
      watcher.on("error", () => this.#stop(directory));
      this.#watches.set(directory, watcher);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") this.#unwatched.add(directory);
    }
  }

  close(): void {
    for (const directory of [...this.#watches.keys()]) this.#stop(directory);
  }

  #renew(directory: string): void {
    this.#stop(directory);
    this.add(directory);
  }

  #stop(directory: string): void {
    this.#watches.get(directory)?.close();
    this.#watches.delete(directory);
  }
}
