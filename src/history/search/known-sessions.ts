/** Which sessions the index knows as they are now, and which have to be read. */
import type { Catalog } from "../catalog.ts";
import type { IndexedSession, SearchIndex } from "./index-reader.ts";
import { problemsOf } from "./problems.ts";
import type { UnknownSession } from "./scan.ts";

export class KnownSessions {
  readonly index: SearchIndex | undefined;
  /** Those that the index knows as they are. */
  readonly known = new Set<IndexedSession>();
  readonly unknown: UnknownSession[] = [];
  /** Agents of whose sessions another one's changed or vanished file held titles. */
  readonly uncertainTitles = new Set<string>();
  /** Whether the index holds sessions that are gone. */
  holdsGone = false;
  readonly #catalogs: ReadonlyMap<string, Catalog>;

  constructor(index: SearchIndex | undefined, catalogs: readonly Catalog[]) {
    this.index = index;
    this.#catalogs = new Map(catalogs.map((catalog) => [catalog.adapter.name, catalog]));
    for (const catalog of catalogs) this.#compare(catalog);
    for (const session of index?.sessions ?? []) {
      const catalog = this.#catalogs.get(session.agent);
      if (catalog && catalog.source(session.sessionId) === undefined) this.holdsGone = true;
      if (session.hasTitles && !this.known.has(session)) this.uncertainTitles.add(session.agent);
    }
  }

  /** Of one that is known. */
  catalog({ agent }: IndexedSession): Catalog {
    return this.#catalogs.get(agent)!;
  }

  #compare(catalog: Catalog): void {
    const { index } = this;
    for (const source of catalog.sources()) {
      const indexed = index?.current(catalog, source);
      if (indexed === undefined) this.unknown.push({ catalog, source });
      else this.known.add(indexed);
    }
    for (const { path, reason, sessionId } of index ? problemsOf(index.database, catalog.adapter.name) : []) {
      const source = catalog.source(sessionId);
      if (source && index!.current(catalog, source)) catalog.notes.skip(path, reason);
    }
  }
}
