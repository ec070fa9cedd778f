/** What may have changed on disk since the index was filled; looked at once for each catalog, which is of one moment. */
import { changesSince, type TreeChange } from "../../lib/tree-survey.ts";
import type { TreeMark } from "../../lib/tree-mark.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexConnection } from "./index-connection.ts";
import { loadListing, type KeptListing } from "./kept-listing.ts";
import { changedAmong, changedSince } from "./listing-record.ts";

const looked = new WeakMap<Catalog, readonly TreeChange[] | undefined>();

export async function lookForChanges(connection: IndexConnection, catalogs: readonly Catalog[]): Promise<void> {
  const others = catalogs.filter((catalog) => catalog.adapter.history?.isWitnessed && !looked.has(catalog));
  if (others.length === 0) return;
  const marked: { catalog: Catalog; mark: TreeMark }[] = [];
  connection.ask(false, (index) => {
    for (const catalog of others) {
      looked.set(catalog, undefined);
      const mark = index && loadListing(index.database, catalog)?.mark;
      if (mark) marked.push({ catalog, mark });
    }
  });
  const changes = await changesSince(marked.map(({ mark }) => mark));
  for (const [place, { catalog }] of marked.entries()) looked.set(catalog, changes[place]);
}

/** More than have changed in a day: then something was done to all of them, and later moments are worth being kept. */
const MANY = 500;

interface Compared {
  /** Sessions whose own files have changed, by number. Undefined: all have to be listed again. */
  changed: Set<number> | undefined;
  /** Whether it would be found out sooner if the sessions were listed again. */
  isWorn: boolean;
}

export function compared(listing: KeptListing, catalog: Catalog): Compared {
  const changes = looked.get(catalog);
  if (changes?.length === 0) return { changed: new Set(), isWorn: false };
  const record = listing.record();
  const changed = record && (changes ? changedAmong(record, changes) : changedSince(record));
  return { changed, isWorn: record !== undefined && (changed === undefined || (changes?.length ?? 0) > MANY) };
}
