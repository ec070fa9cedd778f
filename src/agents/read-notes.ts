/**
 * Notes: what a reader could not use. Every skipped file, damaged line and unknown record type is noted here and shown by `amux
 * doctor`.
 */
import type { OnProblem } from "../lib/fs/directory.ts";

export interface SkippedFile {
  path: string;
  reason: string;
}

/** Enough to see a pattern; counting continues beyond it. */
const MAX_LISTED = 1000;
const MAX_TYPE_CHARACTERS = 100;

export class ReadNotes {
  readonly skipped: SkippedFile[] = [];
  readonly unknownTypes = new Map<string, number>();
  readonly damaged = new Map<string, number>();
  skippedCount = 0;
  damagedLines = 0;

  /** A skipped file or store, and why. */
  skip(path: string, reason: string): void {
    this.skippedCount++;
    if (this.skipped.length < MAX_LISTED) this.skipped.push({ path, reason });
  }

  /** `skip` as a callback for functions that walk directories. */
  get onProblem(): OnProblem {
    return (path, reason) => this.skip(path, reason);
  }

  /** A record type that no reader of this agent knows. */
  unknown(type: string): void {
    // A type is a word. A damaged record may have anything in its place, different each time.
    const short = type.length > MAX_TYPE_CHARACTERS ? `${type.slice(0, MAX_TYPE_CHARACTERS)}…` : type;
    const name = this.unknownTypes.size < MAX_LISTED || this.unknownTypes.has(short) ? short : "(others)";
    this.unknownTypes.set(name, (this.unknownTypes.get(name) ?? 0) + 1);
  }

  /** An unparsable line or row in a file that is otherwise read. */
  damage(path: string, count = 1): void {
    this.damagedLines += count;
    if (this.damaged.size < MAX_LISTED || this.damaged.has(path)) {
      this.damaged.set(path, (this.damaged.get(path) ?? 0) + count);
    }
  }
}
