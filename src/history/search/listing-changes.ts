/** What has changed on disk since the index was filled; looked at once for each catalog, which is of one moment. */
import type { Catalog } from "../catalog.ts";
import type { IndexConnection } from "./index-connection.ts";
import type { SearchIndex } from "./index-reader.ts";
import { loadListing, type KeptListing } from "./kept-listing.ts";
import { changedSince, changedSoFar, type ListingRecord } from "../cache/listing-record.ts";

/** Numbers of sessions are those of one state of the index. */
interface Looked {
  index: SearchIndex | undefined;
  changed: Set<number> | undefined;
}

const looked = new WeakMap<Catalog, Looked>();

export async function lookForChanges(connection: IndexConnection, catalogs: readonly Catalog[]): Promise<void> {
  const others = catalogs.filter((catalog) => catalog.adapter.history?.isWitnessed && !looked.has(catalog));
  if (others.length === 0) return;
  const records: { catalog: Catalog; index: SearchIndex; record: ListingRecord }[] = [];
  connection.ask(false, (index) => {
    for (const catalog of others) {
      looked.set(catalog, { index: undefined, changed: undefined });
      const record = index && loadListing(index.database, catalog)?.record();
      if (record) records.push({ catalog, index: index!, record });
    }
  });
  for (const { catalog, index, record } of records) looked.set(catalog, { index, changed: await changedSoFar(record) });
}

/** Sessions whose own files have changed, by number. Undefined: all have to be listed again. */
export function changedFiles(index: SearchIndex, listing: KeptListing, catalog: Catalog): Set<number> | undefined {
  const known = looked.get(catalog);
  if (known?.index === index) return known.changed;
  const record = listing.record();
  return record && changedSince(record);
}
