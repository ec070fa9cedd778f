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
import { listWithVault } from "../../history/vault/mounted-vault.ts";
import { optional } from "../../lib/values/optional.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { FilesUpdate, FoundConversation } from "./found-conversation.ts";
import type { CachedHead, CachedHeads } from "./cached-heads.ts";
import { idFor } from "./row-id.ts";

/** File system clocks tick in steps. */
const SETTLED_AFTER_MS = 2000;

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
  /** Whether the same files always give the same result. */
  isLasting: boolean;
}

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
  readonly #kept: CachedHeads;
  readonly #maxRows: number;
  /** Heads read since the last save. */
  unsaved = 0;
  #known = new Map<string, Known>();
  /** Session by file. */
  #owners = new Map<string, string>();
  #listed = false;

  /** `kept`: heads from an earlier run, used by the first listing. */
  constructor(
    adapter: AgentAdapter,
    history: History,
    env: AgentEnv,
    kept: CachedHeads = new Map(),
    maxRows = MAX_ROWS,
  ) {
    this.name = adapter.name;
    this.#maxRows = maxRows;
    this.#kept = kept;
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

  /** The heads worth keeping. */
  heads(): CachedHeads {
    this.unsaved = 0;
    const heads = new Map<string, { signature: string; head: CachedHead }>();
    for (const [id, { signature, found, isLasting }] of this.#known) {
      if (isLasting) heads.set(id, { signature, head: found === undefined ? null : headOf(found) });
    }
    return heads;
  }

  get size(): number {
    return this.#known.size;
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
    const isOld = (): boolean => first && this.#known.size >= this.#maxRows;
    const yielder = new EventLoopYielder();
    let changed: FoundConversation[] = [];
    this.#known = new Map();
    this.#owners = new Map();
    for (const source of sources) {
      const known = before.get(source.sessionId);
      changed.push(...this.#note(source, known, isOld()));
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
    const changed: FoundConversation[] = [];
    for (const [id, files] of touched) {
      const known = this.#known.get(id)!;
      const source = restat(known.source, files);
      if (source === undefined) return undefined;
      changed.push(...this.#note(source, known));
    }
    return { agent: this.name, changed, removed: [], first: false };
  }

  /** Records the session's current state; returns it if something changed. */
  #note(source: SessionSource, known: Known | undefined, isOld = false): FoundConversation[] {
    const signature = signatureOf(source);
    for (const { path } of source.files) this.#owners.set(path, source.sessionId);
    // A file looks the same after its agent deleted it and only the vault has it.
    const hasMoved = known?.found !== undefined && isOnlyKept(source.path) !== (known.found.inVault === true);
    // Unreadable files are tried again, until they are known to be empty.
    if (known?.signature === signature && !hasMoved && (known.found !== undefined || known.isLasting)) {
      this.#known.set(source.sessionId, known);
      return [];
    }
    const kept = this.#listed ? undefined : this.#kept.get(source.sessionId);
    const now = kept?.signature === signature ? this.#remember(source, kept.head) : this.#read(source);
    const { found } = now;
    if (isOld && found !== undefined) found.isOld = true;
    this.#known.set(source.sessionId, { source, signature, ...now });
    if (found === undefined) return [];
    const isNews = known?.found === undefined || JSON.stringify(found) !== JSON.stringify(known.found);
    return isNews ? [found] : [];
  }

  #read(source: SessionSource): Pick<Known, "found" | "isLasting"> {
    this.work.heads++;
    this.unsaved++;
    let head: SessionHead | undefined;
    const notes = new ReadNotes();
    try {
      head = this.#history.summarize(source, this.#env, notes);
    } catch {
      // An unreadable file; `amux doctor` names it.
      return { found: undefined, isLasting: false };
    }
    // Its size and date will not show when it becomes readable.
    if (head === undefined && notes.skippedCount > 0) return { found: undefined, isLasting: false };
    // A file being written may change again without a new time.
    const isLasting = head?.volatile === undefined && Math.abs(Date.now() - source.updatedMs) > SETTLED_AFTER_MS;
    if (head === undefined) return { found: undefined, isLasting };
    const kept = {
      title: oneLine(head.title),
      ...optional("cwd", head.cwd),
      createdMs: head.createdMs ?? head.startedMs ?? source.updatedMs,
      updatedMs: Math.max(head.updatedMs ?? 0, source.updatedMs),
      hidden: head.parentId !== undefined,
      ...optional("archived", head.archived),
    };
    return { ...this.#remember(source, kept), isLasting };
  }

  /** Commands are rebuilt: no command from a file is ever run. */
  #remember(source: SessionSource, head: CachedHead): Pick<Known, "found" | "isLasting"> {
    if (head === null) return { found: undefined, isLasting: true };
    const { launch } = this.#adapter;
    const { title, cwd, createdMs, updatedMs, hidden, archived } = head;
    const found: FoundConversation = {
      agent: this.name,
      sessionId: source.sessionId,
      path: source.path,
      title,
      ...optional("cwd", cwd),
      createdMs,
      updatedMs,
      ...optional("resumeCommand", launch?.resume?.(source.sessionId, source)),
      ...optional("forkCommand", launch?.fork?.(source.sessionId, source)),
      ...(hidden ? {} : { rowId: idFor(this.name, source.sessionId, 0) }),
      hidden,
      ...optional("archived", archived),
      ...(isOnlyKept(source.path) && { inVault: true }),
    };
    return { found, isLasting: true };
  }

  /** A completely empty store is more likely unmounted than emptied. */
  #goneSince(before: ReadonlyMap<string, Known>): string[] {
    if (this.#known.size === 0) return [];
    return [...before.keys()].filter((id) => !this.#known.has(id));
  }
}

function headOf({ title, cwd, createdMs, updatedMs, hidden, archived }: FoundConversation): CachedHead {
  return { title, ...optional("cwd", cwd), createdMs, updatedMs, hidden, ...optional("archived", archived) };
}

function signatureOf({ path: main, files, updatedMs, elsewhere }: SessionSource): string {
  const stamps = files.map(({ path, size, mtimeMs }) => `${path}:${size}:${mtimeMs}`);
  const kept = isOnlyKept(main) ? ["vault"] : [];
  return [updatedMs, ...stamps, ...(elsewhere === undefined ? [] : [elsewhere]), ...kept].join("|");
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
