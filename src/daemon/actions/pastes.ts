/** Files pasted into a terminal: stored where the session's program can read them, and removed with the session. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import { Problem } from "../problem.ts";
import type { SessionStore } from "../store/store.ts";

/** Beyond this the oldest are removed: they were read long ago. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** Extensions by which programs recognise files. Anything else is binary. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/bmp": "bmp",
  "image/svg+xml": "svg",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

export const PASTED_TYPES: readonly string[] = Object.keys(EXTENSIONS);

export class Pastes {
  readonly #places: SessionDirectories;
  readonly #store: SessionStore;

  constructor(places: SessionDirectories, store: SessionStore) {
    this.#places = places;
    this.#store = store;
  }

  /** The path of the new file. */
  keep(id: string, content: Uint8Array, contentType: string): string {
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    if (!record.alive) throw new Problem("not_running", "The session is not running.");
    if (content.length === 0) throw new Problem("bad_request", "The pasted data is empty.");
    const directory = join(sessionFiles(this.#places, id).directory, "pastes");
    ensurePrivateDirectory(directory);
    const kept = pastesIn(directory);
    const number = Math.max(0, ...kept.map((paste) => paste.number)) + 1;
    const extension = EXTENSIONS[contentType.split(";")[0]!.trim().toLowerCase()] ?? "bin";
    const path = join(directory, `paste-${number}.${extension}`);
    writeFileAtomic(path, content);
    removeOldest(kept, KEPT_BYTES - content.length);
    return path;
  }
}

interface Paste {
  number: number;
  path: string;
  size: number;
}

function pastesIn(directory: string): Paste[] {
  return readdirSync(directory).flatMap((name) => {
    const number = /^paste-(\d+)\.\w+$/.exec(name)?.[1];
    const path = join(directory, name);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    return number === undefined || size === undefined ? [] : [{ number: Number(number), path, size }];
  });
}

function removeOldest(kept: readonly Paste[], limit: number): void {
  let total = kept.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of kept.toSorted((a, b) => a.number - b.number)) {
    if (total <= limit) return;
    rmSync(path, { force: true });
    total -= size;
  }
}
