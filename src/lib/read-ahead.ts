/**
 * Beginnings of files that will be looked at next, read one behind the other: to go to and fro between the system and a scanner
 * leaves both with cold caches.
 */
import { rawFiles } from "./raw-files.ts";

export interface Piece {
  readonly path: string;
  /** To read on by; -1 when all of the file was read. */
  readonly fd: number;
  /** Places in the buffer. A line feed is put behind it. */
  readonly start: number;
  readonly end: number;
}

/** Of all of them: three times what is read at a time, which leaves some of a processor's cache to what is made of them. */
export const AHEAD_BYTES = 768 * 1024;
/** With less room than this, files are not begun: most would have to be read in two pieces. */
const LEAST_BYTES = 160 * 1024;
/** Of one file. */
const MOST_BYTES = 256 * 1024;
/** Behind each: whoever looks at lines looks some bytes beyond their end. */
const GAP_BYTES = 64;
export const LINE_FEED = 10;
/** The place in the file that reading has come to. */
export const ON_FROM_HERE = -1;

export class ReadAhead {
  readonly #start: number;
  readonly #end: number;
  readonly #bytes: () => Buffer;
  #next: number;
  #pieces: (Piece | undefined)[] = [];
  /** All before it were taken. */
  #first = 0;

  /** `start`: where in the buffer they lie, which may be another one each time. */
  constructor(start: number, bytes: () => Buffer) {
    this.#start = start;
    this.#end = start + AHEAD_BYTES;
    this.#bytes = bytes;
    this.#next = start;
  }

  /** Forgets all that were not taken: files change. */
  clear(): void {
    const pieces = this.#pieces;
    for (let index = this.#first; index < pieces.length; index++) {
      const fd = pieces[index]?.fd ?? -1;
      if (fd !== -1) rawFiles().close(fd);
    }
    this.#pieces = [];
    this.#first = 0;
    this.#next = this.#start;
  }

  /** False when there is no room for another one. One that cannot be read is left to whoever opens it. */
  read(path: string): boolean {
    const start = this.#next;
    const room = Math.min(MOST_BYTES, this.#end - start - GAP_BYTES);
    if (room < LEAST_BYTES) return false;
    const bytes = this.#bytes();
    const files = rawFiles();
    let fd = -1;
    try {
      fd = files.open(path);
      const end = start + files.read(fd, bytes, start, room, ON_FROM_HERE);
      // A regular file that gives less than was asked for has no more.
      const isWhole = end < start + room;
      if (isWhole) files.close(fd);
      bytes[end] = LINE_FEED;
      this.#pieces.push({ path, fd: isWhole ? -1 : fd, start, end });
      this.#next = (end + GAP_BYTES + GAP_BYTES - 1) & ~(GAP_BYTES - 1);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      if (fd !== -1) files.close(fd);
    }
    return true;
  }

  /** What was read of a file, once. */
  take(path: string): Piece | undefined {
    const pieces = this.#pieces;
    // Mostly they are taken in the order they were read in.
    for (let index = this.#first; index < pieces.length; index++) {
      const piece = pieces[index];
      if (piece?.path !== path) continue;
      if (index === this.#first) this.#first++;
      else pieces[index] = undefined;
      return piece;
    }
    return undefined;
  }
}
