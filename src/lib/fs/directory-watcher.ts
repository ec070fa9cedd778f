/**
 * Tells when something in one of many directories changes: one watch per directory, none for what lies below, and no
 * work at all while nothing happens. Directories that cannot be watched are counted, so that a caller can look by itself.
 */
import { watch, type FSWatcher } from "node:fs";

export interface DirectoryEvent {
  directory: string;
  /** Of the entry; undefined when the system does not tell, or the directory itself is gone. */
  name: string | undefined;
  /** It came or went; else its contents changed. */
  appeared: boolean;
}

export class DirectoryWatcher {
  readonly #watches = new Map<string, FSWatcher>();
  readonly #unwatched = new Set<string>();
  readonly #onEvent: (event: DirectoryEvent) => void;

  constructor(onEvent: (event: DirectoryEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Directories that exist and are not being watched: the system's limit was reached, or they may not be read. */
  get unwatched(): number {
    return this.#unwatched.size;
  }

  has(directory: string): boolean {
    return this.#watches.has(directory);
  }

  /** Watches exactly these from now on. */
  set(directories: ReadonlySet<string>): void {
    for (const directory of this.#watches.keys()) if (!directories.has(directory)) this.#stop(directory);
    this.#unwatched.clear();
    for (const directory of directories) this.add(directory);
  }

  add(directory: string): void {
    if (this.#watches.has(directory)) return;
    try {
      const watcher = watch(directory, { persistent: false }, (type, name) => {
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

  #stop(directory: string): void {
    this.#watches.get(directory)?.close();
    this.#watches.delete(directory);
  }
}
