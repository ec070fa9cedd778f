/**
 * Updates the index from the stores: adds new and changed sessions, removes deleted ones. Each batch is one transaction, so a
 * crash or a full disk costs at most one batch. Only one builder runs at a time; a second one gives up.
 */
import type { SessionSource } from "../../agents/adapter.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { uptimeMs } from "../../lib/process/clock.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { acquireLock } from "../../lib/process/process-lock.ts";
import { dirname } from "node:path";
import type { Catalog } from "../catalog.ts";
import { IndexDatabase, isBusy, isDamage, isNoSpace, lockPath, setAside } from "../cache/database.ts";
import { documentOf, indexedText } from "./document.ts";
import { mayBeRead, SearchIndex, type IndexedSession } from "./index-reader.ts";
import { SEARCH_TABLES } from "./index-tables.ts";
import { IndexWriter, type ReadSession } from "./index-writer.ts";
import { originsOf } from "./byte-filter.ts";
import { isCopied, isNoted, noteFile } from "../cache/copied.ts";
import { isSameButNumbers, isSettled } from "../cache/signature.ts";
import { adopted, retitle, Titles } from "./title-changes.ts";

export interface BuildOptions {
  /** No session is started after this time; a started one is finished. */
  budgetMs?: number;
  /** True has the same effect as the deadline. */
  isEnough?: () => boolean;
  onProgress?: (progress: BuildProgress) => void;
}

export interface BuildProgress {
  /** Sessions, and bytes of their files. */
  done: number;
  total: number;
  doneBytes: number;
  totalBytes: number;
}

export interface BuildResult {
  /** Sessions added, removed and unchanged. */
  added: number;
  removed: number;
  unchanged: number;
  /** Why work is left. */
  stopped?: "time" | "space" | "busy";
}

/** A batch is committed after this many bytes or this much time: the most a kill can cost. */
const BATCH_BYTES = 64 * 1024 * 1024;
const BATCH_MS = 5000;

interface Task {
  catalog: Catalog;
  source: SessionSource;
  bytes: number;
  /** The indexed state of the session. */
  known: IndexedSession | undefined;
}

export async function buildIndex(
  path: string,
  catalogs: readonly Catalog[],
  options: BuildOptions = {},
): Promise<BuildResult> {
  ensurePrivateDirectory(dirname(path));
  const lock = acquireLock(lockPath(path));
  if (lock === undefined) return { added: 0, removed: 0, unchanged: 0, stopped: "busy" };
  try {
    try {
      return await build(path, catalogs, options);
    } catch (error) {
      if (!isDamage(error)) throw error;
      setAside(path);
      return await build(path, catalogs, options);
    }
  } finally {
    lock.release();
  }
}

async function build(path: string, catalogs: readonly Catalog[], options: BuildOptions): Promise<BuildResult> {
  const result: BuildResult = { added: 0, removed: 0, unchanged: 0 };
  try {
    const database = IndexDatabase.openForWriting(path, [SEARCH_TABLES]);
    try {
      await bringUp(database, catalogs, options, result);
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isNoSpace(error) && !isBusy(error)) throw error;
    result.stopped = isBusy(error) ? "busy" : "space";
  }
  return result;
}

async function bringUp(
  database: IndexDatabase,
  catalogs: readonly Catalog[],
  options: BuildOptions,
  result: BuildResult,
): Promise<void> {
  const deadline = uptimeMs() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  await takeOverCopied(database, catalogs);
  const index = new SearchIndex(database);
  const writer = new IndexWriter(database);
  const titles = new Titles(index);
  const gone = goneFrom(index, catalogs);
  await database.transaction(() => {
    for (const { agent, sessionId } of gone) {
      writer.remove(agent, sessionId);
      writer.putProblem(agent, sessionId, undefined);
    }
  });
  const tasks = tasksOf(index, catalogs);
  result.removed = gone.length;
  const agents = new Set(catalogs.map(({ adapter }) => adapter.name));
  const known = index.sessions.filter(({ agent }) => agents.has(agent)).length;
  result.unchanged = known - gone.length - tasks.filter((task) => task.known).length;
  for (const { agent, hasTitles } of gone) if (hasTitles) titles.changed.add(agent);
  await new Batches(database, writer, titles, options, deadline).run(tasks, result);
  for (const catalog of catalogs)
    if (titles.changed.has(catalog.adapter.name)) await retitle(database, writer, catalog);
}

/**
 * An index may have been copied together with the agents' files, as in a backup: the inodes differ. Files of the same size and
 * time are taken as unchanged and not read again.
 */
async function takeOverCopied(database: IndexDatabase, catalogs: readonly Catalog[]): Promise<void> {
  if (isNoted(database)) return;
  await database.transaction(() => {
    if (isCopied(database)) renumber(database, catalogs);
    noteFile(database);
  });
}

function renumber(database: IndexDatabase, catalogs: readonly Catalog[]): void {
  const index = new SearchIndex(database);
  for (const catalog of catalogs) {
    const agent = catalog.adapter.name;
    for (const source of catalog.sources()) {
      const known = index.of(agent).get(source.sessionId);
      if (known === undefined) continue;
      const signature = index.signatureNow(known, catalog);
      if (signature === known.signature || !isSameButNumbers(signature, known.signature)) continue;
      database.run(
        "UPDATE search_session SET signature = ? WHERE agent = ? AND session = ?",
        signature,
        agent,
        source.sessionId,
      );
    }
  }
}

function goneFrom(index: SearchIndex, catalogs: readonly Catalog[]): IndexedSession[] {
  const byAgent = new Map(catalogs.map((catalog) => [catalog.adapter.name, catalog]));
  return index.sessions.filter(({ agent, sessionId }) => {
    const catalog = byAgent.get(agent);
    return catalog !== undefined && catalog.source(sessionId) === undefined;
  });
}

/** Oldest first, so that the newest sessions, which are queried most, are stored together. */
function tasksOf(index: SearchIndex, catalogs: readonly Catalog[]): Task[] {
  const tasks: Task[] = [];
  for (const catalog of catalogs) {
    for (const id of catalog.ids()) {
      const source = catalog.source(id)!;
      if (index.current(catalog, source) || !isSettled(source)) continue;
      const bytes = source.files.reduce((sum, file) => sum + file.size, 0);
      tasks.push({ catalog, source, bytes, known: index.of(catalog.adapter.name).get(id) });
    }
  }
  return tasks.sort((a, b) => a.source.updatedMs - b.source.updatedMs);
}

class Batches {
  readonly #database: IndexDatabase;
  readonly #writer: IndexWriter;
  readonly #titles: Titles;
  readonly #options: BuildOptions;
  readonly #deadline: number;

  constructor(database: IndexDatabase, writer: IndexWriter, titles: Titles, options: BuildOptions, deadline: number) {
    this.#database = database;
    this.#writer = writer;
    this.#titles = titles;
    this.#options = options;
    this.#deadline = deadline;
  }

  async run(tasks: readonly Task[], result: BuildResult): Promise<void> {
    const progress: BuildProgress = { done: 0, total: tasks.length, doneBytes: 0, totalBytes: 0 };
    for (const { bytes } of tasks) progress.totalBytes += bytes;
    while (progress.done < tasks.length) {
      if (uptimeMs() >= this.#deadline || this.#options.isEnough?.()) {
        result.stopped = "time";
        return;
      }
      await this.#database.transaction(() => this.#batch(tasks, progress, result));
    }
  }

  async #batch(tasks: readonly Task[], progress: BuildProgress, result: BuildResult): Promise<void> {
    const yielder = new EventLoopYielder();
    const until = Math.min(this.#deadline, uptimeMs() + BATCH_MS);
    const enough = progress.doneBytes + BATCH_BYTES;
    do {
      const task = tasks[progress.done++]!;
      if (this.#take(task)) result.added++;
      progress.doneBytes += task.bytes;
      this.#options.onProgress?.({ ...progress });
      await yielder.yieldIfDue();
      if (this.#options.isEnough?.()) break;
    } while (progress.done < tasks.length && progress.doneBytes < enough && uptimeMs() < until);
  }

  #take(task: Task): boolean {
    const { notes, adapter } = task.catalog;
    const { sessionId, files } = task.source;
    const { skippedCount } = notes;
    if (!this.#put(task)) return false;
    const isWhole = notes.skippedCount === skippedCount && task.catalog.head(sessionId) !== undefined;
    const problem = isWhole
      ? undefined
      : notes.skipped.findLast(({ path }) => files.some((file) => file.path === path));
    if (!isWhole && (!mayBeRead(task.source) || SYSTEM_ERROR.test(problem?.reason ?? ""))) {
      // A file that is unreadable now may become readable with the same size and date.
      this.#writer.remove(adapter.name, sessionId);
      return false;
    }
    if (problem || task.known) this.#writer.putProblem(adapter.name, sessionId, problem);
    return true;
  }

  /** False if it cannot be read; every search then retries and reports it. */
  #put({ catalog, source, known }: Task): boolean {
    const agent = catalog.adapter.name;
    const own = catalog.head(source.sessionId);
    if (own?.titlesForOthers || known?.hasTitles) this.#titles.changed.add(agent);
    const head = own && adopted(own, this.#titles.of(agent));
    let read: ReadSession | undefined;
    try {
      const reader = head && catalog.adapter.history!.read(source, catalog.env, catalog.notes, "text");
      read = reader && { head, text: indexedText(documentOf(reader)) };
    } catch (error) {
      this.#writer.remove(agent, source.sessionId);
      catalog.notes.skip(source.path, errorText(error));
      return false;
    }
    this.#writer.put({ agent, source, origins: originsOf(catalog, source), read });
    return true;
  }
}

/** The code as it appears in error messages: EACCES, EMFILE, EIO. */
const SYSTEM_ERROR = /\bE[A-Z0-9]{2,}\b/;
