/** Directories created while we watch. Agents may write into them much later, so they are watched from the start. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../lib/fs/directory.ts";

/** Agents create at most year/month/day at once. */
const MAX_DEPTH = 4;

/** A tree unpacked into a store must not use up the system's watches. */
const MAX_DIRECTORIES = 512;

export class FreshDirectories {
  readonly #directories = new Set<string>();

  /** Something appeared at the path; returns the new directories. */
  found(path: string): string[] {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    const found = [...below(path, 0)];
    for (const directory of found) this.#directories.add(directory);
    for (const oldest of this.#directories) {
      if (this.#directories.size <= MAX_DIRECTORIES) break;
      this.#directories.delete(oldest);
    }
    return found;
  }

  existing(): string[] {
    for (const directory of this.#directories) if (!existsSync(directory)) this.#directories.delete(directory);
    return [...this.#directories];
  }
}

function* below(directory: string, depth: number): Generator<string> {
  yield directory;
  if (depth >= MAX_DEPTH) return;
  for (const entry of entriesOf(directory)) {
    if (entry.isDirectory()) yield* below(join(directory, entry.name), depth + 1);
  }
}
