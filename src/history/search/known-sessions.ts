/** Which sessions the index knows as they are now, and which have to be read. */
import type { SessionSource } from "../../agents/adapter.ts";
import { fileStat } from "../../lib/fs/directory.ts";
import type { Catalog } from "../catalog.ts";
import { lastChange } from "../../agents/shared/source-list.ts";
import type { IndexedSession, SearchIndex } from "./index-reader.ts";
import { loadListing } from "./kept-listing.ts";
import { changedFiles } from "./listing-changes.ts";
import { problemsOf } from "./problems.ts";
import type { UnknownSession } from "./scan.ts";

export class KnownSessions {
  readonly index: SearchIndex | undefined;
  /** Those that the index knows as they are. */
  readonly known = new Set<IndexedSession>();
  readonly unknown: UnknownSession[] = [];
  /** Agents of whose sessions another one's changed or vanished file held titles. */
  readonly uncertainTitles = new Set<string>();
  /** Whether the index is behind in more than what it lacks: in its records of listings, or in what is gone. */
  isBehind = false;
  readonly #catalogs: ReadonlyMap<string, Catalog>;
  /** Where they were found just now, of those that had to be looked for. */
  readonly #sources = new Map<IndexedSession, SessionSource>();

  constructor(index: SearchIndex | undefined, catalogs: readonly Catalog[]) {
    this.index = index;
    this.#catalogs = new Map(catalogs.map((catalog) => [catalog.adapter.name, catalog]));
    for (const catalog of catalogs) if (!this.#trust(catalog)) this.#compare(catalog);
    for (const session of index?.sessions ?? [])
      if (session.hasTitles && !this.known.has(session)) this.uncertainTitles.add(session.agent);
  }

  /** Of one that is known. */
  catalog({ agent }: IndexedSession): Catalog {
    return this.#catalogs.get(agent)!;
  }

  /** Where it was found just now, if it had to be looked for. */
  listed(session: IndexedSession): SessionSource | undefined {
    return this.#sources.get(session);
  }

  /** By what was looked at when the sessions were listed last. False when they have to be listed again. */
  #trust(catalog: Catalog): boolean {
    const { index } = this;
    if (index === undefined) return false;
    const { history, name } = catalog.adapter;
    if (history === undefined && index.sessions.some(({ agent }) => agent === name)) this.isBehind = true;
    if (!history?.isWitnessed) return false;
    const listing = loadListing(index.database, catalog);
    const changed = listing && changedFiles(index, listing, catalog);
    if (changed === undefined && listing?.isUnsure !== true) this.isBehind = true;
    if (listing === undefined || changed === undefined) return false;
    const sources = listing.lacking.map(asItIsNow);
    for (const session of index.sessions) {
      if (session.agent !== name) continue;
      if (changed.has(session.id)) sources.push(asItIsNow(index.source(session)));
      else this.known.add(session);
    }
    for (const source of sources) if (source) this.unknown.push({ catalog, source });
    for (const left of listing.skipped)
      if (!("id" in left && changed.has(left.id))) catalog.notes.skip(left.path, left.reason);
    return true;
  }

  #compare(catalog: Catalog): void {
    const { index } = this;
    for (const id of catalog.ids()) {
      const source = catalog.source(id)!;
      const indexed = index?.current(catalog, source);
      if (indexed === undefined) this.unknown.push({ catalog, source });
      else {
        this.known.add(indexed);
        this.#sources.set(indexed, source);
      }
    }
    for (const { path, reason, sessionId } of index ? problemsOf(index.database, catalog.adapter.name) : []) {
      const source = catalog.source(sessionId);
      if (source && index!.current(catalog, source)) catalog.notes.skip(path, reason);
    }
  }
}

function asItIsNow({ sessionId, path, files, locator }: SessionSource): SessionSource | undefined {
  const now = files.flatMap((file) => fileStat(file.path) ?? []);
  return now.length === 0 ? undefined : { sessionId, path, files: now, updatedMs: lastChange(now), locator };
}

let last: { catalogs: readonly Catalog[]; known: KnownSessions } | undefined;

/** The last one is kept: whoever asks again for the same list in the same state of the index gets it at once. */
export function knownSessions(index: SearchIndex | undefined, catalogs: readonly Catalog[]): KnownSessions {
  const isSame =
    last?.known.index === index &&
    last?.catalogs.length === catalogs.length &&
    catalogs.every((catalog, number) => catalog === last?.catalogs[number]);
  if (last && isSame) return last.known;
  const known = new KnownSessions(index, catalogs);
  last = index && { catalogs, known };
  return known;
}
