/** Sessions with their heads as one catalog read them, for others of the same files. Each has heads of its own: what is learnt later is put into them. */
import type { CatalogEntry } from "./catalog.ts";

export class SharedEntries {
  #entries: ReadonlyMap<string, CatalogEntry> | undefined;

  get(): Map<string, CatalogEntry> | undefined {
    return this.#entries && copied(this.#entries);
  }

  /** Not those of which a head depends on more than its session's files. */
  offer(entries: ReadonlyMap<string, CatalogEntry>): void {
    for (const { head } of entries.values()) if (head.volatile) return;
    this.#entries = copied(entries);
  }
}

function copied(entries: ReadonlyMap<string, CatalogEntry>): Map<string, CatalogEntry> {
  const copies = new Map<string, CatalogEntry>();
  for (const [id, entry] of entries) copies.set(id, { ...entry, head: { ...entry.head } });
  return copies;
}
