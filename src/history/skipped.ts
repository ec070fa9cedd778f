import type { Catalog } from "./catalog.ts";

/** The number of unreadable files or stores. A store may be counted several times, and the list is limited. */
export function skippedIn(catalogs: readonly Catalog[]): number {
  const unlisted = catalogs.reduce((sum, { notes }) => sum + notes.skippedCount - notes.skipped.length, 0);
  return new Set(catalogs.flatMap(({ notes }) => notes.skipped.map(({ path }) => path))).size + unlisted;
}
