/**
 * Where an agent's sessions lay when they were listed, with all that the listing looked at: as long as only files of single
 * sessions have changed since, they need not be listed again.
 */
import type { AgentAdapter, AgentEnv, SessionSource } from "../../agents/adapter.ts";
import type { SkippedFile } from "../../agents/read-notes.ts";
import { fileStat, SETTLING_MS, type FileStat, type Sights } from "../../lib/fs/directory.ts";
import type { ListingNotes, SourcesById } from "../catalog-entry.ts";
import { Catalog } from "../catalog.ts";
import { changedSoFar, recordOf } from "./listing-record.ts";
import { plainSource, signatureOf } from "./signature.ts";
import type { SessionCache } from "./session-cache.ts";
import type { ListedSession, Listing } from "./stored-listing.ts";

/** More have changed than in a day: then they are listed again, to have the new state kept. */
const MANY = 500;

/** An agent's sessions as they are now. Undefined: it has to be asked for them each time. */
export async function sessionsNow(
  adapter: AgentAdapter,
  env: AgentEnv,
  cache: SessionCache,
): Promise<SourcesById | undefined> {
  if (!adapter.history?.isWitnessed) return undefined;
  const kept = cache.listing(adapter.name);
  const isOfSame = kept?.roots.join("\n") === adapter.history.roots(env).join("\n");
  const now = kept && isOfSame ? await asTheyAre(kept) : undefined;
  if (now) return now;
  const catalog = new Catalog(adapter, env, { witness: true });
  const listing = listingOf(catalog);
  if (listing) cache.putListing(adapter.name, listing);
  const { skipped, skippedCount } = catalog.notes;
  return skipped.length < skippedCount ? undefined : new ListedSources(catalog.sources(), skipped);
}

class ListedSources extends Map<string, SessionSource> implements SourcesById {
  readonly skipped: readonly SkippedFile[];
  readonly #listing: Listing | undefined;
  #owners: Map<string, number> | undefined;

  constructor(sources: Iterable<SessionSource>, skipped: readonly SkippedFile[], listing?: Listing) {
    super();
    for (const source of sources) this.set(source.sessionId, source);
    this.skipped = skipped;
    this.#listing = listing;
  }

  ownerOf(path: string): string | undefined {
    if (this.#listing === undefined) return undefined;
    const { paths, owners, sessions } = this.#listing;
    this.#owners ??= new Map(paths.map((own, at) => [own, owners[at]!]));
    return sessions[(this.#owners.get(path) ?? 0) - 1]?.[0];
  }
}

/** A source as it was listed; its files are told when somebody asks. */
class ListedSource implements SessionSource {
  readonly #listing: Listing;
  readonly #session: ListedSession;

  constructor(listing: Listing, session: ListedSession) {
    this.#listing = listing;
    this.#session = session;
  }

  get sessionId(): string {
    return this.#session[0];
  }

  get path(): string {
    return this.#session[1];
  }

  get updatedMs(): number {
    return this.#session[2];
  }

  get locator(): unknown {
    return this.#session[3];
  }

  get stamp(): string {
    return this.#session[4];
  }

  get files(): FileStat[] {
    const { paths, stamps } = this.#listing;
    return this.#session[5].map((at) => {
      return { path: paths[at]!, ino: stamps[3 * at]!, size: stamps[3 * at + 1]!, mtimeMs: stamps[3 * at + 2]! };
    });
  }
}

/** Undefined: they have to be listed again. */
async function asTheyAre(listing: Listing): Promise<ListedSources | undefined> {
  const { paths, stamps, owners, sessions, skipped } = listing;
  const changed = await changedSoFar({ paths, stamps, owners });
  if (changed === undefined || changed.size > MANY) return undefined;
  const sources: SessionSource[] = sessions.map((session) => new ListedSource(listing, session));
  for (const owner of changed) {
    const now = asItIs(sources[owner - 1]!);
    if (now === undefined) return undefined;
    sources[owner - 1] = now;
  }
  return new ListedSources(sources, skipped, listing);
}

/** A session whose files have changed. Undefined: one of them is gone, or was put back, and only a listing tells when it was changed. */
function asItIs(source: SessionSource): SessionSource | undefined {
  const { sessionId, path, locator, files: before } = source;
  const files = before.flatMap((file) => fileStat(file.path) ?? []);
  if (files.length < before.length || files.some(({ mtimeMs }, at) => mtimeMs < before[at]!.mtimeMs)) return undefined;
  // Not every file of a session tells when it was changed, but one that has changed does.
  const times = files.filter(({ mtimeMs }, at) => mtimeMs !== before[at]!.mtimeMs).map(({ mtimeMs }) => mtimeMs);
  return { sessionId, path, files, updatedMs: Math.max(source.updatedMs, ...times), locator };
}

/** Undefined when it cannot be told later that nothing has changed. */
function listingOf(catalog: Catalog): Listing | undefined {
  const { seen, adapter, env } = catalog;
  const skipped = seen && leftOut(seen, catalog.listingNotes);
  if (seen === undefined || skipped === undefined) return undefined;
  const sources = Array.from(catalog.sources(), plainSource);
  const ownerByPath = new Map<string, number>();
  for (const [index, { files }] of sources.entries()) {
    // A file that several depend on tells nothing about any of them.
    for (const { path } of files) ownerByPath.set(path, ownerByPath.has(path) ? 0 : index + 1);
    if (files.some(({ ino }) => ino === 0)) return undefined;
  }
  const ownerOf = (path: string): number => ownerByPath.get(path) ?? 0;
  const record = isSettled(seen, ownerOf) ? recordOf(seen, ownerOf) : undefined;
  if (record === undefined) return undefined;
  const { paths, stamps, owners } = record;
  const places = new Map(paths.map((path, place) => [path, place]));
  if (![...ownerByPath.keys()].every((path) => places.has(path))) return undefined;
  return {
    roots: adapter.history!.roots(env),
    skipped,
    paths,
    stamps: [...stamps],
    owners: [...owners],
    sessions: sources.map((source) => {
      const { sessionId, path, updatedMs, locator, files } = source;
      const own = files.map((file) => places.get(file.path)!);
      return [sessionId, path, updatedMs, locator, signatureOf([source]), own];
    }),
  };
}

/**
 * What the listing left out for what it is: the same is left out again while nothing has changed. Undefined where something was left
 * out because it could not be looked at or read, which may be otherwise although its size and time are the same; or where
 * not all of it was noted.
 */
function leftOut({ isUnsure, opened }: Sights, { skipped, count }: ListingNotes): readonly SkippedFile[] | undefined {
  return isUnsure || skipped.length < count || skipped.some(({ path }) => opened.has(path)) ? undefined : skipped;
}

/** What was changed shortly before it was looked at, or since, may have been changed once more without a trace. */
function isSettled({ directories, files, startedMs }: Sights, ownerOf: (path: string) => number): boolean {
  const isFresh = (stat: FileStat | undefined): boolean =>
    stat !== undefined && stat.mtimeMs > startedMs - SETTLING_MS && stat.mtimeMs <= Date.now();
  for (const stat of directories.values()) if (isFresh(stat)) return false;
  for (const [path, stat] of files) if (isFresh(stat) && ownerOf(path) === 0) return false;
  return true;
}
