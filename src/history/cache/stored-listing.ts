import type { SkippedFile } from "../../agents/read-notes.ts";

/** As it is kept: plain data. */
export interface Listing {
  /** Where the sessions were looked for. */
  roots: string[];
  /** What the listing left out, which is to be told again. */
  skipped: readonly SkippedFile[];
  /** What was looked at, as in a `ListingRecord`; a file's owner is the place of its session from 1, or 0. */
  paths: readonly string[];
  stamps: ArrayLike<number>;
  owners: ArrayLike<number>;
  sessions: ListedSession[];
}

export type ListedSession = [
  ...[id: string, path: string, updatedMs: number, locator: unknown, stamp: string],
  /** Its files by their places in `paths`. */
  files: number[],
];
