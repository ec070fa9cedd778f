/**
 * One agent's store, kept current at the least cost: a listing reads only names and times, a head is read when its files changed,
 * and a file that only grew needs no listing.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentAdapter, AgentEnv, History, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { ReadNotes } from "../../agents/read-notes.ts";
import { newestSessions } from "../../agents/shared/newest-sessions.ts";
import { lastChange } from "../../agents/shared/source-list.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { entriesOf, fileStat } from "../../lib/fs/directory.ts";
import { isOnlyKept } from "../../lib/fs/kept-files.ts";
import { headStamp, readHead } from "../../history/cache/heads.ts";
import type { CachedHead } from "../../history/cache/session-cache.ts";
import { signatureOf } from "../../history/cache/signature.ts";
import { listWithVault } from "../../history/vault/mounted-vault.ts";
import { optional } from "../../lib/values/optional.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { FilesUpdate, FoundConversation } from "./found-conversation.ts";
import type { HeadCache } from "./head-cache.ts";
import { idFor } from "./row-id.ts";

/**
 * Maximum rows from an agent's history; more would be useless in a list and slow for every client. Older conversations are found
 * by search.
 */
const MAX_ROWS = 20_000;

/** Conversations per batch, so that the receiver can work meanwhile and is not blocked long. */
export const PART = 250;

interface Known {
  source: SessionSource;
  signature: string;
  found: FoundConversation | undefined;
  /** The files hold no conversation, as opposed to unreadable ones. */
  isEmpty: boolean;
}

const NO_HEADS: ReadonlyMap<string, CachedHead> = new Map();

/** Counters of work; they stand still at rest. */
export interface Work {
  listings: number;
  heads: number;
}

export class AgentFiles {
  readonly name: string;
  readonly work: Work = { listings: 0, heads: 0 };
  readonly #adapter: AgentAdapter;
  readonly #history: History;
  readonly #env: AgentEnv;
  readonly #cache: HeadCache;
  readonly #maxRows: number;
  #known = new Map<string, Known>();
  /** Session by file. */
  #owners = new Map<string, string>();
  #listed = false;

  constructor(adapter: AgentAdapter, history: History, env: AgentEnv, cache: HeadCache, maxRows = MAX_ROWS) {
    this.name = adapter.name;
    this.#maxRows = maxRows;
    this.#cache = cache;
    this.#adapter = adapter;
    this.#history = history;
    this.#env = env;
  }

  /** Whether a change there may affect this store: in a root, beside it (a database's log), or on the way to it. */
  concerns(path: string): boolean {
    const roots = this.#history.roots(this.#env);
    return this.#owners.has(path) || roots.some((root) => path.startsWith(root) || root.startsWith(`${path}/`));
  }

  /** Directories in which a change would affect this store. */
  directories(): Set<string> {
    const roots = this.#history.roots(this.#env);
    const directories = new Set(roots.flatMap(watchedForRoot));
    const holders = new Set([...this.#owners.keys()].map((path) => dirname(path)));
    for (const holder of holders) addAncestors(directories, holder, roots);
    for (const root of roots) addEmpty(directories, holders, root, 1);
    return directories;
  }

  /** Compares the whole store with what is known. The first listing reports in batches, the last at its end. */
  async list(onPart: (news: FilesUpdate) => void = () => undefined): Promise<FilesUpdate> {
    this.work.listings++;
    const before = this.#known;
    const first = !this.#listed;
    const notes = new ReadNotes();
    const all = listWithVault(this.name, this.#history, this.#env, notes);
    const sources = newestSessions(all, this.#history.sessionDir(this.#env), notes);
    // The most relevant conversations come first.
    if (first) sources.sort((a, b) => b.updatedMs - a.updatedMs);
    const cached = first ? this.#cache.of(this.name) : NO_HEADS;
    const yielder = new EventLoopYielder();
    let changed: FoundConversation[] = [];
    this.#known = new Map();
    this.#owners = new Map();
    for (const source of sources) this.#enter(source);
    for (const [at, { sessionId }] of sources.entries()) {
      changed.push(...this.#note(sessionId, before.get(sessionId), cached, first && at >= this.#maxRows));
      if (first && changed.length >= PART) {
        onPart({ agent: this.name, changed, removed: [], first });
        changed = [];
      }
      await yielder.yieldIfDue();
    }
    this.#listed = true;
    return { agent: this.name, changed, removed: this.#goneSince(before), first };
  }

  /** Files grew. Undefined if that needs a listing. */
  touch(paths: Iterable<string>): FilesUpdate | undefined {
    if (this.#adapter.capabilities.sessionPersistence !== "file") return undefined;
    const touched = new Map<string, Set<string>>();
    for (const path of paths) {
      const owner = this.#owners.get(path);
      if (owner === undefined) return undefined;
      touched.set(owner, (touched.get(owner) ?? new Set()).add(path));
    }
    const sources: SessionSource[] = [];
    for (const [id, files] of touched) {
      const source = restat(this.#known.get(id)!.source, files);
      if (source === undefined) return undefined;
      sources.push(source);
    }
    const changed = sources.flatMap((source) => {
      const before = this.#known.get(source.sessionId);
      this.#enter(source);
      return this.#note(source.sessionId, before);
    });
    return { agent: this.name, changed, removed: [], first: false };
  }

  #enter(source: SessionSource): void {
    const { sessionId, files } = source;
    this.#known.set(sessionId, { source, signature: signatureOf([source]), found: undefined, isEmpty: false });
    for (const { path } of files) this.#owners.set(path, sessionId);
  }

  /** Completes an entry; returns its conversation if it changed. */
  #note(id: string, before: Known | undefined, cached = NO_HEADS, isOld = false): FoundConversation[] {
    const known = this.#known.get(id)!;
    if (before !== undefined && isUnchanged(before, known)) {
      known.found = before.found;
      known.isEmpty = before.isEmpty;
      return [];
    }
    const kept = this.#cachedHead(known, cached.get(id));
    const head = kept === undefined ? this.#read(known) : kept;
    if (head === undefined || head === null) {
      known.isEmpty = head === null;
      return [];
    }
    known.found = this.#foundIn(known.source, head);
    if (isOld) known.found.isOld = true;
    const isNews = before?.found === undefined || JSON.stringify(known.found) !== JSON.stringify(before.found);
    return isNews ? [known.found] : [];
  }

  #cachedHead({ signature }: Known, cached: CachedHead | undefined): SessionHead | null | undefined {
    return cached && cached.stamp === headStamp(signature, cached.head, this.#stampOf) ? cached.head : undefined;
  }

  readonly #stampOf = (path: string): string | undefined => this.#known.get(this.#owners.get(path) ?? "")?.signature;

  /** Null if there is known to be no conversation; undefined if it is unreadable, as `amux doctor` reports. */
  #read({ source, signature }: Known): SessionHead | null | undefined {
    this.work.heads++;
    const reading = { history: this.#history, env: this.#env, notes: new ReadNotes(), stampOf: this.#stampOf };
    let read: ReturnType<typeof readHead>;
    try {
      read = readHead(reading, source, signature);
    } catch {
      return undefined;
    }
    const { head, stamp } = read;
    if (stamp === undefined) return head;
    this.#cache.put(this.name, source.sessionId, stamp, head);
    return head ?? null;
  }

  /** Commands are rebuilt: no command from a file is ever run. */
  #foundIn(source: SessionSource, head: SessionHead): FoundConversation {
    const { sessionId, path, updatedMs } = source;
    const { launch } = this.#adapter;
    const hidden = head.parentId !== undefined;
    return {
      agent: this.name,
      sessionId,
      path,
      title: oneLine(head.title),
      ...optional("cwd", head.cwd),
      createdMs: head.createdMs ?? head.startedMs ?? updatedMs,
      updatedMs: Math.max(head.updatedMs ?? 0, updatedMs),
      ...optional("resumeCommand", launch?.resume?.(sessionId, source)),
      ...optional("forkCommand", launch?.fork?.(sessionId, source)),
      ...(hidden ? {} : { rowId: idFor(this.name, sessionId, 0) }),
      hidden,
      ...optional("archived", head.archived),
      ...(isOnlyKept(path) && { inVault: true }),
    };
  }

  /** A completely empty store is more likely unmounted than emptied. */
  #goneSince(before: ReadonlyMap<string, Known>): string[] {
    if (this.#known.size === 0) return [];
    return [...before.keys()].filter((id) => !this.#known.has(id));
  }
}

/** Unreadable files are tried again. A file looks the same after its agent deleted it and only the vault has it. */
function isUnchanged({ source, signature, found, isEmpty }: Known, now: Known): boolean {
  const { path, updatedMs } = now.source;
  if (signature !== now.signature || source.path !== path || source.updatedMs !== updatedMs) return false;
  return found === undefined ? isEmpty : isOnlyKept(path) === (found.inVault === true);
}

/** The source with its files' current state; undefined if one is gone. */
function restat(source: SessionSource, paths: ReadonlySet<string>): SessionSource | undefined {
  const files = source.files.map((file) => (paths.has(file.path) ? fileStat(file.path) : file));
  if (!files.every((file) => file !== undefined)) return undefined;
  return { ...source, files, updatedMs: lastChange(files) };
}

/** A database root is watched through its directory, a missing one through its nearest parent. */
function watchedForRoot(root: string): string[] {
  for (let directory = root; ; directory = dirname(directory)) {
    if (existsSync(directory)) return directory === root ? [root, dirname(root)] : [directory];
    if (directory === dirname(directory)) return [];
  }
}

/** From a session's directory up to its root. */
function addAncestors(into: Set<string>, directory: string, roots: readonly string[]): void {
  if (!roots.some((root) => directory === root || directory.startsWith(`${root}/`))) return void into.add(directory);
  for (let at = directory; !into.has(at) && at !== dirname(at); at = dirname(at)) {
    into.add(at);
    if (roots.includes(at)) return;
  }
}

/** The depth of agents' directories: year/month/day, project/chats. */
const MAX_DEPTH = 3;

/** A store with more empty directories has other contents, which must not use up the system's watches. */
const MAX_EMPTY = 512;

/** Directories without sessions: the next one may appear there. */
function addEmpty(
  into: Set<string>,
  holders: ReadonlySet<string>,
  directory: string,
  depth: number,
  limit = { left: MAX_EMPTY },
): void {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    // Directories below a session belong to it.
    if (!entry.isDirectory() || holders.has(path)) continue;
    if (!into.has(path) && limit.left-- <= 0) return;
    into.add(path);
    if (depth < MAX_DEPTH) addEmpty(into, holders, path, depth + 1, limit);
  }
}
