/**
 * Directories that came into being while we watched. Agents make one and write into it a moment or an hour later, so
 * they are watched from the start, before any session in them is known.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../lib/fs/directory.ts";

/** Agents make at most year/month/day at once. */
const MAX_DEPTH = 4;

/** A tree that is unpacked into a store must not use up the system's watches. */
const MAX_DIRECTORIES = 512;

export class FreshDirectories {
  readonly #directories = new Set<string>();

  /** Something appeared at the path; answers the directories that are new with it. */
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
