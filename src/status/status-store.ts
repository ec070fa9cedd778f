/**
 * The directory of status files. Every change happens under the file's lock and replaces the whole file, so that writers lose
 * nothing and readers never see half a file.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { codeOf, entriesOf, fileStat, type OnProblem } from "../lib/fs/directory.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { parseStatusFile, withKnownFields, type StatusFile } from "./status-file.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";
import { readText } from "../lib/fs/foreign-file.ts";

/** A change takes a fraction of a millisecond; a longer wait means a stopped process. */
const PATIENCE_MS = 2000;

/** Far more than any program writes; a larger file is a mistake and is not read. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

export class StatusStore {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Every session with a readable file, by name. Unreadable ones go to `onProblem`. */
  list(onProblem?: OnProblem): { name: string; file: StatusFile }[] {
    const found: { name: string; file: StatusFile }[] = [];
    for (const entry of entriesOf(this.directory, onProblem)) {
      if (!entry.name.endsWith(".json") || entry.name.startsWith(".")) continue;
      const name = sessionName(entry.name);
      const file = this.#readFile(join(this.directory, entry.name), name, onProblem);
      if (file !== undefined) found.push({ name, file });
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  read(name: string): StatusFile | undefined {
    return this.#readFile(this.#path(name), name);
  }

  /**
   * `change` gets the current content, or an empty file. Returns what was written; undefined, with nothing written, if `change`
   * returns nothing or the lock was not free within `patienceMs`.
   */
  update(
    name: string,
    change: (file: StatusFile) => StatusFile | undefined,
    patienceMs = PATIENCE_MS,
  ): StatusFile | undefined {
    const path = this.#path(name);
    makeDirectory(this.directory);
    return withLock(this.#lock(name), patienceMs, () => {
      const next = change(this.#readFile(path, name) ?? withKnownFields({}, name));
      if (next !== undefined) writeFileAtomic(path, `${JSON.stringify(next, null, 2)}\n`);
      return next;
    })?.result;
  }

  /** Removes the file if `isGone` still holds under its lock. */
  remove(name: string, isGone: (file: StatusFile) => boolean): boolean {
    const path = this.#path(name);
    const done = withLock(this.#lock(name), PATIENCE_MS, () => {
      const file = this.#readFile(path, name);
      if (file === undefined || !isGone(file)) return false;
      rmSync(path, { force: true });
      return true;
    });
    return done?.result === true;
  }

  #path(name: string): string {
    return join(this.directory, fileName(name));
  }

  /** Hidden, with an ending that no reader takes for a status file. */
  #lock(name: string): string {
    return join(this.directory, `.${fileName(name)}.lock`);
  }

  #readFile(path: string, name: string, onProblem?: OnProblem): StatusFile | undefined {
    // Anything but a regular file may be endless.
    const stat = fileStat(path, onProblem);
    if (stat === undefined) return undefined;
    let text: string;
    try {
      text = stat.size > MAX_FILE_BYTES ? "" : readText(path);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") onProblem?.(path, `cannot be read (${codeOf(error)})`);
      return undefined;
    }
    const file = parseStatusFile(text, name);
    if (file === undefined) onProblem?.(path, "is not a status file");
    return file;
  }
}

/** File systems allow 255 bytes; the lock's and the temporary file's longer names must fit too. */
const MAX_NAME_BYTES = 190;

/** tmux allows a slash in a session's name; a file name does not. */
const SLASH = "%2F";

function fileName(name: string): string {
  const wrong =
    name === "" ||
    name.startsWith(".") ||
    /[\u0000-\u001f\u007f]/.test(name) ||
    name.includes(SLASH) ||
    Buffer.byteLength(name) > MAX_NAME_BYTES;
  if (wrong) {
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `${JSON.stringify(name.slice(0, 80))} cannot be the name of a session.`,
    );
  }
  return `${name.replaceAll("/", SLASH)}.json`;
}

function sessionName(file: string): string {
  return file.slice(0, -".json".length).replaceAll(SLASH, "/");
}
