/**
 * What a reader met and could not use. Nothing foreign is dropped in silence: every skipped file,
 * damaged line and unknown record type ends here and is shown by `amux doctor`.
 */
import type { OnProblem } from "../lib/fs/directory.ts";

export interface SkippedFile {
  path: string;
  reason: string;
}

/** Notes as plain data, which can cross a thread. */
export type NotesTaken = Pick<ReadNotes, "skipped" | "unknownTypes" | "damaged" | "skippedCount" | "damagedLines">;

/** Enough to see a pattern; the counts go on beyond it. */
const MAX_LISTED = 1000;
const MAX_TYPE_CHARACTERS = 100;

export class ReadNotes {
  readonly skipped: SkippedFile[] = [];
  readonly unknownTypes = new Map<string, number>();
  readonly damaged = new Map<string, number>();
  skippedCount = 0;
  damagedLines = 0;

  /** A file (or store) that was left out, and why. */
  skip(path: string, reason: string): void {
    this.skippedCount++;
    if (this.skipped.length < MAX_LISTED) this.skipped.push({ path, reason });
  }

  /** What another reader met, after all this one did. */
  add(other: NotesTaken): void {
    this.skippedCount += other.skippedCount;
    this.skipped.push(...other.skipped.slice(0, MAX_LISTED - this.skipped.length));
    for (const [type, count] of other.unknownTypes) this.unknown(type, count);
    const before = this.damagedLines;
    for (const [path, count] of other.damaged) this.damage(path, count);
    this.damagedLines = before + other.damagedLines;
  }

  /** `skip` for the functions that walk directories. */
  get onProblem(): OnProblem {
    return (path, reason) => this.skip(path, reason);
  }

  /** A record type no reader of this agent knows. */
  unknown(type: string, count = 1): void {
    // A type is a word. What a damaged record has in its place may be anything, and different each time.
    const short = type.length > MAX_TYPE_CHARACTERS ? `${type.slice(0, MAX_TYPE_CHARACTERS)}…` : type;
    const name = this.unknownTypes.size < MAX_LISTED || this.unknownTypes.has(short) ? short : "(others)";
    this.unknownTypes.set(name, (this.unknownTypes.get(name) ?? 0) + count);
  }

  /** A line or row that could not be parsed, in a file that is otherwise read. */
  damage(path: string, count = 1): void {
    this.damagedLines += count;
    if (this.damaged.size < MAX_LISTED || this.damaged.has(path)) {
      this.damaged.set(path, (this.damaged.get(path) ?? 0) + count);
    }
  }
}
