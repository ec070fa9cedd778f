/** Which sessions the index knows as they are now, and which have to be read. */
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Catalog } from "../catalog.ts";
import type { KnownSession } from "./from-index.ts";
import type { SearchIndex } from "./index-reader.ts";
import type { UnknownSession } from "./session-scan.ts";

export interface Shelf {
  /** Newest first. */
  known: KnownSession[];
  /** The same by their number in the index. */
  byNumber: (KnownSession | undefined)[];
  unknown: UnknownSession[];
  /** Unified ids of the known ones. */
  current: ReadonlySet<string>;
  /** Agents of whose sessions another one's changed or vanished file held titles. */
  uncertainTitles: ReadonlySet<string>;
}

let last: { index: SearchIndex; catalogs: readonly Catalog[]; shelf: Shelf } | undefined;

/** The last one is kept: whoever asks again for the same list in the same state of the index gets it at once. */
export function shelfOf(index: SearchIndex | undefined, catalogs: readonly Catalog[]): Shelf {
  const isSame =
    last?.index === index &&
    last?.catalogs.length === catalogs.length &&
    catalogs.every((catalog, number) => catalog === last?.catalogs[number]);
  if (last && isSame) return last.shelf;
  const shelf = sorted(index, catalogs);
  last = index && { index, catalogs, shelf };
  return shelf;
}

function sorted(index: SearchIndex | undefined, catalogs: readonly Catalog[]): Shelf {
  const known: KnownSession[] = [];
  const unknown: UnknownSession[] = [];
  const current = new Set<string>();
  for (const catalog of catalogs) {
    for (const id of catalog.ids()) {
      const source = catalog.source(id)!;
      const indexed = index?.current(catalog, source);
      if (indexed === undefined) unknown.push({ catalog, source });
      else {
        known.push({ catalog, source, indexed });
        current.add(joinUnifiedId(catalog.adapter.name, id));
      }
    }
  }
  known.sort((a, b) => b.indexed.updatedMs - a.indexed.updatedMs);
  const byNumber: (KnownSession | undefined)[] = Array.from({ length: index?.sessions.length ?? 0 });
  for (const session of known) byNumber[session.indexed.number] = session;
  const uncertainTitles = new Set<string>();
  for (const { agent, sessionId, hasTitles } of index?.sessions ?? []) {
    if (hasTitles && !current.has(joinUnifiedId(agent, sessionId))) uncertainTitles.add(agent);
  }
  return { known, byNumber, unknown, current, uncertainTitles };
}
