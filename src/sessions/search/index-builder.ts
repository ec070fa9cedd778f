/**
 * Brings the index up to the state of the stores: takes in new and changed sessions, drops those that are gone. Every
 * batch is one transaction, so a process that dies or a disk that fills up costs no more than the batch, and the next
 * run goes on from there. One builder at a time; whoever comes second leaves it to the first.
 */
import type { SessionReader, SessionSource } from "../../agents/adapter.ts";
import { Breather } from "../../lib/breathe.ts";
import { ensurePrivateDirectory } from "../../lib/private-directory.ts";
import { acquireLock } from "../../lib/process-lock.ts";
import { dirname } from "node:path";
import type { Catalog, CatalogEntry } from "../catalog.ts";
import { IndexDatabase, isBusy, isDamage, isNoSpace, setAside } from "../index-db/database.ts";
import { SearchIndex } from "./index-reader.ts";
import { SEARCH_TABLES } from "./index-tables.ts";
import { lockPath } from "./index-status.ts";
import { IndexWriter, UnreadableSession } from "./index-writer.ts";
import { isSettled, signatureOf } from "./signature.ts";

export interface BuildOptions {
  /** Not to be begun after this time; what was begun is finished. */
  budgetMs?: number;
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
  /** Sessions taken in, dropped, and left as they were. */
  added: number;
  removed: number;
  unchanged: number;
  /** Why there is still something to do. */
  stopped?: "time" | "space" | "busy";
}

/** A batch is committed when it has read this much, or has taken this long. */
const BATCH_BYTES = 16 * 1024 * 1024;
const BATCH_MS = 1000;

interface Task {
  catalog: Catalog;
  entry: CatalogEntry | undefined;
  source: SessionSource;
  bytes: number;
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
  const deadline = performance.now() + (options.budgetMs ?? Number.POSITIVE_INFINITY);
  const database = IndexDatabase.openForWriting(path, [SEARCH_TABLES]);
  const result: BuildResult = { added: 0, removed: 0, unchanged: 0 };
  try {
    const index = new SearchIndex(database);
    const writer = new IndexWriter(database);
    result.removed = removeGone(database, writer, index, catalogs);
    const tasks = await tasksOf(index, catalogs);
    result.unchanged = index.sessions.length - result.removed - tasks.filter(({ known }) => known).length;
    await new Batches(database, writer, options, deadline).run(tasks, result);
  } catch (error) {
    if (!isNoSpace(error) && !isBusy(error)) throw error;
    result.stopped = isBusy(error) ? "busy" : "space";
  } finally {
    closeQuietly(database);
  }
  return result;
}

function closeQuietly(database: IndexDatabase): void {
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // A reader is in the way, or there is no space: the log stays, and is read like the rest.
  }
  database.close();
}

function removeGone(
  database: IndexDatabase,
  writer: IndexWriter,
  index: SearchIndex,
  catalogs: readonly Catalog[],
): number {
  const byAgent = new Map(catalogs.map((catalog) => [catalog.adapter.name, catalog]));
  const gone = index.sessions.filter(({ agent, sessionId }) => {
    const catalog = byAgent.get(agent);
    return catalog !== undefined && catalog.source(sessionId) === undefined;
  });
  if (gone.length === 0) return 0;
  database.transaction(() => {
    for (const { agent, sessionId } of gone) writer.remove(agent, sessionId);
  });
  return gone.length;
}

/** Oldest first, so that what is asked for newest first lies together. */
async function tasksOf(index: SearchIndex, catalogs: readonly Catalog[]): Promise<(Task & { known: boolean })[]> {
  const tasks: (Task & { known: boolean })[] = [];
  for (const catalog of catalogs) {
    const entries = await catalog.entries();
    for (const id of catalog.ids()) {
      const source = catalog.source(id)!;
      const known = index.find(catalog.adapter.name, id);
      if (known?.signature === signatureOf(source) || !isSettled(source)) continue;
      const bytes = source.files.reduce((sum, file) => sum + file.size, 0);
      tasks.push({ catalog, source, entry: entries.get(id), bytes, known: known !== undefined });
    }
  }
  return tasks.sort((a, b) => a.source.updatedMs - b.source.updatedMs);
}

class Batches {
  readonly #database: IndexDatabase;
  readonly #writer: IndexWriter;
  readonly #options: BuildOptions;
  readonly #deadline: number;

  constructor(database: IndexDatabase, writer: IndexWriter, options: BuildOptions, deadline: number) {
    this.#database = database;
    this.#writer = writer;
    this.#options = options;
    this.#deadline = deadline;
  }

  async run(tasks: readonly Task[], result: BuildResult): Promise<void> {
    const totalBytes = tasks.reduce((sum, { bytes }) => sum + bytes, 0);
    const breather = new Breather();
    let doneBytes = 0;
    for (let at = 0; at < tasks.length;) {
      if (performance.now() >= this.#deadline) {
        result.stopped = "time";
        return;
      }
      const from = at;
      at = this.#database.transaction(() => this.#batch(tasks, from, result));
      for (const { bytes } of tasks.slice(from, at)) doneBytes += bytes;
      this.#options.onProgress?.({ done: at, total: tasks.length, doneBytes, totalBytes });
      await breather.breathe();
    }
  }

  /** Answers where the next batch begins. */
  #batch(tasks: readonly Task[], from: number, result: BuildResult): number {
    const until = Math.min(this.#deadline, performance.now() + BATCH_MS);
    let bytes = 0;
    let at = from;
    while (at < tasks.length && bytes < BATCH_BYTES && (at === from || performance.now() < until)) {
      const task = tasks[at++]!;
      bytes += task.bytes;
      if (this.#take(task)) result.added++;
    }
    return at;
  }

  #take({ catalog, source, entry }: Task): boolean {
    const agent = catalog.adapter.name;
    try {
      const reader = entry && open(catalog, source);
      this.#writer.put({ agent, source, read: entry && reader && { head: entry.head, reader } });
      return true;
    } catch (error) {
      if (!(error instanceof UnreadableSession)) throw error;
      // It is tried again, and told of, by every search.
      this.#writer.remove(agent, source.sessionId);
      catalog.notes.skip(source.path, error.message);
      return false;
    }
  }
}

function open({ adapter, env, notes }: Catalog, source: SessionSource): SessionReader | undefined {
  try {
    return adapter.history!.read(source, env, notes);
  } catch (error) {
    throw new UnreadableSession((error as Error).message, { cause: error });
  }
}
