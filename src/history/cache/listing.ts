/** Caches the listing of an agent's store. While only files of single sessions change, the store is not listed again. */
import type { AgentAdapter, AgentEnv, History, SessionSource } from "../../agents/adapter.ts";
import { ReadNotes, type SkippedFile } from "../../agents/read-notes.ts";
import { newestSessions } from "../../agents/shared/newest-sessions.ts";
import { lastChange } from "../../agents/shared/source-list.ts";
import { fileStat, recordingReads, type FileStat, type FilesSeen } from "../../lib/fs/directory.ts";
import type { SourcesById, StampedSource } from "../catalog-entry.ts";
import { changedSince, recordOf, type ListedSession, type Listing } from "./listing-record.ts";
import { plainSource, signatureOf } from "./signature.ts";
import { listWithVault } from "../vault/mounted-vault.ts";
import type { SessionCache } from "./session-cache.ts";

/** More changes than in a usual day: list again, so that the new state is cached. */
const MANY = 500;

/** An agent's current sessions. Undefined if they must be listed each time. */
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
  return listAnew(adapter.name, adapter.history, env, cache);
}

/** Also undefined if the store cannot be listed; the next listing reports why. */
function listAnew(agent: string, history: History, env: AgentEnv, cache: SessionCache): SourcesById | undefined {
  const notes = new ReadNotes();
  let looked: { result: SessionSource[]; seen: FilesSeen };
  try {
    looked = recordingReads(() => listWithVault(agent, history, env, notes));
  } catch {
    return undefined;
  }
  const { result, seen } = looked;
  const newest = newestSessions(result, history.sessionDir(env), notes);
  const { skipped, skippedCount } = notes;
  if (skipped.length < skippedCount) return undefined;
  const sources = new ListedSources(newest, skipped);
  // A change in a session that was left out would go unnoticed.
  const listing = newest.length < result.length ? undefined : listingOf(sources, seen, history.roots(env));
  if (listing) cache.putListing(agent, listing);
  return sources;
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

/** A cached source. Its files are decoded on first access. */
class ListedSource implements StampedSource {
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

  get elsewhere(): string | undefined {
    return this.#session[6];
  }

  get files(): FileStat[] {
    const { paths, stamps } = this.#listing;
    return this.#session[5].map((at) => {
      return { path: paths[at]!, ino: stamps[3 * at]!, size: stamps[3 * at + 1]!, mtimeMs: stamps[3 * at + 2]! };
    });
  }
}

/** Undefined if the store must be listed again. */
async function asTheyAre(listing: Listing): Promise<ListedSources | undefined> {
  const { sessions, skipped } = listing;
  const changed = await changedSince(listing);
  if (changed === undefined || changed.size > MANY) return undefined;
  const sources: SessionSource[] = sessions.map((session) => new ListedSource(listing, session));
  for (const owner of changed) {
    const now = asItIs(sources[owner - 1]!);
    if (now === undefined) return undefined;
    sources[owner - 1] = now;
  }
  return new ListedSources(sources, skipped, listing);
}

/**
 * Updates a session whose files have changed. Undefined if a file is gone or was restored: only a listing gives its time then.
 */
function asItIs(source: SessionSource): SessionSource | undefined {
  const { sessionId, path, locator, elsewhere, files: before } = source;
  const files = before.flatMap((file) => fileStat(file.path) ?? []);
  if (files.length < before.length || files.some(({ mtimeMs }, at) => mtimeMs < before[at]!.mtimeMs)) return undefined;
  // Not every file contributes to the session's time, but a changed one does.
  const changed = files.filter(({ mtimeMs }, at) => mtimeMs !== before[at]!.mtimeMs);
  const updatedMs = Math.max(source.updatedMs, lastChange(changed));
  return { sessionId, path, files, updatedMs, locator, elsewhere };
}

/** Undefined if a later change could go unnoticed. */
function listingOf(listed: ListedSources, seen: FilesSeen, roots: string[]): Listing | undefined {
  const { skipped } = listed;
  // A file that could not be read may become readable with the same size and time.
  if (seen.isUnsure || skipped.some(({ path }) => seen.opened.has(path))) return undefined;
  const sources = Array.from(listed.values(), plainSource);
  const ownerByPath = new Map<string, number>();
  for (const [index, { files }] of sources.entries()) {
    // A shared file belongs to no single session.
    for (const { path } of files) ownerByPath.set(path, ownerByPath.has(path) ? 0 : index + 1);
    if (files.some(({ ino }) => ino === 0)) return undefined;
  }
  const record = recordOf(seen, (path) => ownerByPath.get(path) ?? 0);
  if (record === undefined) return undefined;
  const places = new Map(record.paths.map((path, place) => [path, place]));
  if (![...ownerByPath.keys()].every((path) => places.has(path))) return undefined;
  return {
    roots,
    skipped,
    ...record,
    sessions: sources.map((source) => {
      const { sessionId, path, updatedMs, locator, files, elsewhere } = source;
      const own = files.map((file) => places.get(file.path)!);
      const listed: ListedSession = [sessionId, path, updatedMs, locator, signatureOf([source]), own];
      if (elsewhere !== undefined) listed.push(elsewhere);
      return listed;
    }),
  };
}
