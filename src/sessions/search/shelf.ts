/** Which sessions the index knows as they are now, and which have to be read. */
import type { SessionSource } from "../../agents/adapter.ts";
import { fileStat } from "../../lib/directory.ts";
import type { Catalog } from "../catalog.ts";
import { lastChange } from "../../agents/shared/source-list.ts";
import type { SearchIndex } from "./index-reader.ts";
import { loadListing } from "./kept-listing.ts";
import { changedFiles } from "./listing-changes.ts";
import { problemsOf } from "./problems.ts";
import type { UnknownSession } from "./scan.ts";

export class Shelf {
  readonly unknown: UnknownSession[] = [];
  /** Agents of whose sessions another one's changed or vanished file held titles. */
  readonly uncertainTitles = new Set<string>();
  /** Whether the index is behind in more than what it lacks: in its records of listings, or in what is gone. */
  isBehind = false;
  readonly index: SearchIndex | undefined;
  /** By number in the index: 1 when it is known as it is. */
  readonly isKnown: Uint8Array;
  readonly #catalogs: ReadonlyMap<string, Catalog>;
  /** Agents, by their numbers in the index, of whose sessions none has changed. */
  readonly #asTheyWere = new Set<number>();
  /** By number in the index, where they were listed. */
  readonly #sources = new Map<number, SessionSource>();

  constructor(index: SearchIndex | undefined, catalogs: readonly Catalog[]) {
    this.index = index;
    this.isKnown = new Uint8Array(index?.size ?? 0);
    this.#catalogs = new Map(catalogs.map((catalog) => [catalog.adapter.name, catalog]));
    for (const catalog of catalogs) if (!this.#trust(catalog)) this.#compare(catalog);
    this.#knowWhatIsAsItWas();
    this.#findUncertainTitles();
  }

  /** Of one that is known. */
  catalog(number: number): Catalog {
    return this.#catalogs.get(this.index!.agentOf(number))!;
  }

  /** Where it was found just now, if it had to be looked for. */
  listed(number: number): SessionSource | undefined {
    return this.#sources.get(number);
  }

  /** By what was looked at when the sessions were listed last. False when they have to be listed again. */
  #trust(catalog: Catalog): boolean {
    const { index } = this;
    if (index === undefined) return false;
    const { history, name } = catalog.adapter;
    if (history === undefined && index.columns.agents.includes(name)) this.isBehind = true;
    if (!history?.isWitnessed) return false;
    const listing = loadListing(index.database, catalog);
    const changed = listing && changedFiles(index, listing, catalog);
    if (changed === undefined && listing?.isUnsure !== true) this.isBehind = true;
    if (listing === undefined || changed === undefined) return false;
    const sources = listing.lacking.map(asItIsNow);
    const { agents, agent, ids } = index.columns;
    const own = agents.indexOf(name);
    const { isKnown } = this;
    if (changed.size === 0) this.#asTheyWere.add(own);
    for (let number = 0; number < ids.length && changed.size > 0; number++) {
      if (agent[number] !== own) continue;
      if (!changed.has(ids[number]!)) isKnown[number] = 1;
      else sources.push(asItIsNow(index.source(number)));
    }
    for (const source of sources) if (source) this.unknown.push({ catalog, source });
    for (const left of listing.skipped)
      if (!("id" in left && changed.has(left.id))) catalog.notes.skip(left.path, left.reason);
    return true;
  }

  /** Mostly all there are. */
  #knowWhatIsAsItWas(): void {
    const { isKnown } = this;
    const { agents, agent } = this.index?.columns ?? { agents: [], agent: [] };
    if (agents.every((_, number) => this.#asTheyWere.has(number))) {
      isKnown.fill(1);
      return;
    }
    for (let number = 0; number < isKnown.length; number++)
      if (this.#asTheyWere.has(agent[number]!)) isKnown[number] = 1;
  }

  #compare(catalog: Catalog): void {
    for (const id of catalog.ids()) {
      const source = catalog.source(id)!;
      const indexed = this.index?.current(catalog, source);
      if (indexed === undefined) this.unknown.push({ catalog, source });
      else {
        this.isKnown[indexed.number] = 1;
        this.#sources.set(indexed.number, source);
      }
    }
    const { index } = this;
    for (const { path, reason, sessionId } of index ? problemsOf(index.database, catalog.adapter.name) : []) {
      const source = catalog.source(sessionId);
      if (source && index!.current(catalog, source)) catalog.notes.skip(path, reason);
    }
  }

  #findUncertainTitles(): void {
    const { isKnown, index } = this;
    for (let number = isKnown.indexOf(0); number !== -1; number = isKnown.indexOf(0, number + 1)) {
      if (index!.columns.hasTitles[number]) this.uncertainTitles.add(index!.agentOf(number));
    }
  }
}

function asItIsNow({ sessionId, path, files, locator }: SessionSource): SessionSource | undefined {
  const now = files.flatMap((file) => fileStat(file.path) ?? []);
  return now.length === 0 ? undefined : { sessionId, path, files: now, updatedMs: lastChange(now), locator };
}

let last: { catalogs: readonly Catalog[]; shelf: Shelf } | undefined;

/** The last one is kept: whoever asks again for the same list in the same state of the index gets it at once. */
export function shelfOf(index: SearchIndex | undefined, catalogs: readonly Catalog[]): Shelf {
  const isSame =
    last?.shelf.index === index &&
    last?.catalogs.length === catalogs.length &&
    catalogs.every((catalog, number) => catalog === last?.catalogs[number]);
  if (last && isSame) return last.shelf;
  const shelf = new Shelf(index, catalogs);
  last = index && { catalogs, shelf };
  return shelf;
}
