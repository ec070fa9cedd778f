/** Files as they were when they were listed: number, size and time of each. Compared as numbers, for there are thousands. */
import type { SessionSource } from "../agents/adapter.ts";
import { digestOf } from "../lib/digest.ts";
import type { FileStat } from "../lib/directory.ts";

export const STAMP_NUMBERS = 3;

/** What a session is made of: its files and, as if that were one more, what is told of it elsewhere. */
export function stampedFiles({ files, elsewhere }: SessionSource): readonly FileStat[] {
  if (elsewhere === undefined) return files;
  const ino = Number.parseInt(digestOf(elsewhere).slice(0, DIGITS), 16) || 1;
  return [...files, { path: elsewhere, size: 0, mtimeMs: 0, ino }];
}

/** Of a digest, that a number holds exactly. */
const DIGITS = 13;

export class FileStamps {
  readonly #numbers: Float64Array;
  readonly #from: number;
  readonly #to: number;

  constructor(numbers: Float64Array, from = 0, to = numbers.length) {
    this.#numbers = numbers;
    this.#from = from;
    this.#to = to;
  }

  /** Undefined where the system does not number files: then they cannot be told apart. */
  static of(files: readonly FileStat[]): FileStamps | undefined {
    const numbers = new Float64Array(STAMP_NUMBERS * files.length);
    for (const [index, { ino = 0, size, mtimeMs }] of files.entries()) {
      if (ino === 0) return undefined;
      numbers.set([ino, size, mtimeMs], STAMP_NUMBERS * index);
    }
    return new FileStamps(numbers);
  }

  match(files: readonly FileStat[]): boolean {
    if (this.#to - this.#from !== STAMP_NUMBERS * files.length) return false;
    let at = this.#from;
    for (const file of files) {
      if (this.#numbers[at] !== file.ino || this.#numbers[at + 1] !== file.size) return false;
      if (this.#numbers[at + 2] !== file.mtimeMs) return false;
      at += STAMP_NUMBERS;
    }
    return true;
  }

  /** Whether they are the same as others. */
  equal({ numbers: others }: FileStamps): boolean {
    if (others.length !== this.#to - this.#from) return false;
    for (let i = 0; i < others.length; i++) if (this.#numbers[this.#from + i] !== others[i]) return false;
    return true;
  }

  get numbers(): Float64Array {
    return this.#numbers.subarray(this.#from, this.#to);
  }
}
