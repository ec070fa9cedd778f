/** Records of listings in the index database. */
import type { SessionSource } from "../../agents/adapter.ts";
import type { SkippedFile } from "../../agents/read-notes.ts";
import type { Catalog } from "../catalog.ts";
import type { IndexDatabase } from "../cache/database.ts";
import type { SearchIndex } from "./index-reader.ts";
import { recordOf, type ListingRecord } from "../cache/listing-record.ts";
import { problemsOf, type Problem } from "./problems.ts";
import { plainSource } from "../cache/signature.ts";

export interface KeptListing {
  /** Sessions that were listed and are not in the index. */
  lacking: SessionSource[];
  /** What was left out, by it or by who read the sessions, and is to be told again. */
  skipped: (SkippedFile | Problem)[];
  /** Whether sizes and times do not tell that anything has changed: then there is no record. */
  isUnsure: boolean;
  /** Made when asked for, being long. */
  record(): ListingRecord | undefined;
}

export function loadListing(database: IndexDatabase, catalog: Catalog): KeptListing | undefined {
  const agent = catalog.adapter.name;
  const row = database.get(
    "SELECT roots, lacking, skipped, length(owners) = 0 AS unsure FROM search_listing WHERE agent = ?",
    agent,
  );
  if (row === undefined || row["roots"] !== rootsOf(catalog)) return undefined;
  return {
    lacking: JSON.parse(String(row["lacking"])) as SessionSource[],
    skipped: JSON.parse(String(row["skipped"])) as (SkippedFile | Problem)[],
    isUnsure: row["unsure"] === 1,
    record: () => loadRecord(database, agent),
  };
}

function loadRecord(database: IndexDatabase, agent: string): ListingRecord | undefined {
  const row = database.get("SELECT paths, stamps, owners FROM search_listing WHERE agent = ?", agent);
  if (row === undefined || (row["owners"] as Uint8Array).length === 0) return undefined;
  return {
    paths: JSON.parse(String(row["paths"])) as string[],
    stamps: new Float64Array(...numbersIn(row["stamps"] as Uint8Array, 8)),
    owners: new Int32Array(...numbersIn(row["owners"] as Uint8Array, 4)),
  };
}

/** Where the binding put them need not suit numbers of several bytes. */
function numbersIn(data: Uint8Array, size: number): [buffer: ArrayBuffer, offset: number, length: number] {
  const { buffer, byteOffset, length } = data.byteOffset % size === 0 ? data : data.slice();
  return [buffer as ArrayBuffer, byteOffset, length / size];
}

/** In the transaction of whoever changes sessions, before it does. */
export function forgetListings(database: IndexDatabase): void {
  database.run("DELETE FROM search_listing");
}

/** Of an agent whose sessions were just taken into the index. */
export function keepListing(index: SearchIndex, catalog: Catalog): void {
  const { seen } = catalog;
  if (seen === undefined) return;
  const owners = new Map<string, number>();
  const lacking: SessionSource[] = [];
  for (const id of catalog.ids()) {
    const source = catalog.source(id)!;
    const indexed = index.current(catalog, source);
    if (indexed === undefined) {
      lacking.push(plainSource(source));
      continue;
    }
    // A file that several depend on tells nothing about any of them.
    const own = (path: string): number => (owners.has(path) ? 0 : indexed.id);
    for (const { path } of source.files) owners.set(path, own(path));
    for (const origin of indexed.origins)
      for (const { path } of catalog.source(origin)?.files ?? []) owners.set(path, 0);
  }
  const nothing = { paths: [], stamps: new Float64Array(0), owners: new Int32Array(0) };
  const record = seen.isUnsure ? nothing : recordOf(seen, (path) => owners.get(path) ?? 0);
  if (record === undefined) return;
  index.database.run(
    "INSERT OR REPLACE INTO search_listing (agent, roots, lacking, skipped, paths, stamps, owners) VALUES (?, ?, ?, ?, ?, ?, ?)",
    catalog.adapter.name,
    rootsOf(catalog),
    JSON.stringify(lacking),
    JSON.stringify([...catalog.listingNotes.skipped, ...problemsOf(index.database, catalog.adapter.name)]),
    JSON.stringify(record.paths),
    new Uint8Array(record.stamps.buffer),
    new Uint8Array(record.owners.buffer),
  );
}

function rootsOf({ adapter, env }: Catalog): string {
  return JSON.stringify(adapter.history!.roots(env));
}
