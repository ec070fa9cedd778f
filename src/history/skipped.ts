import type { Catalog } from "./catalog.ts";

/** How many files or stores could not be read. A store may have been met several times; only so many are listed. */
export function skippedIn(catalogs: readonly Catalog[]): number {
  const unlisted = catalogs.reduce((sum, { notes }) => sum + notes.skippedCount - notes.skipped.length, 0);
  return new Set(catalogs.flatMap(({ notes }) => notes.skipped.map(({ path }) => path))).size + unlisted;
}
