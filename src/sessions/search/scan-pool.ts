/** Threads that help a search to read. They are started when what is left would take noticeably long. */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { AgentRegistry } from "../../agents/registry.ts";
import type { BatchAnswer, BatchOrder, ScanOrder } from "./scan-messages.ts";
import type { UnknownSession } from "./session-scan.ts";

/** More would not be read faster from one disk, and each takes some 30 MB. */
const MAX_THREADS = 3;
/** Long enough that asking for the next batch does not matter, short enough that none waits for the last. */
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCH_SESSIONS = 64;

export interface PoolHost {
  /** The next session to be read by a thread; undefined when there are none. */
  take(): UnknownSession | undefined;
  onAnswer(batch: readonly UnknownSession[], answer: BatchAnswer): void;
  /** A thread failed; the sessions are to be read elsewhere. */
  onFailure(batch: readonly UnknownSession[]): void;
}

export class ScanPool {
  readonly #host: PoolHost;
  readonly #workers = new Set<Worker>();
  readonly #builtIn = new Map<string, boolean>();
  #onIdle: (() => void) | undefined;

  private constructor(host: PoolHost) {
    this.#host = host;
  }

  /** Undefined where there are no further cores, or the thread's program is not there (in tests of the sources). */
  static start(order: ScanOrder, host: PoolHost): ScanPool | undefined {
    const program = programPath();
    const threads = Math.min(MAX_THREADS, availableParallelism() - 1);
    if (program === undefined || threads < 1) return undefined;
    const pool = new ScanPool(host);
    for (let thread = 0; thread < threads; thread++) pool.#start(program, order);
    return pool;
  }

  #start(program: string, order: ScanOrder): void {
    const worker = new Worker(program, { workerData: order, execArgv: [], stdin: false });
    this.#workers.add(worker);
    let batch: UnknownSession[] = [];
    const end = (): void => {
      if (!this.#workers.delete(worker)) return;
      if (batch.length > 0) this.#host.onFailure(batch);
      void worker.terminate();
      if (this.#workers.size > 0) return;
      if (this.#held !== undefined) this.#host.onFailure([this.#held]);
      this.#held = undefined;
      this.#onIdle?.();
    };
    const next = async (): Promise<void> => {
      batch = await this.#nextBatch();
      if (batch.length === 0) return end();
      const order: BatchOrder = { agent: batch[0]!.catalog.adapter.name, sources: batch.map(({ source }) => source) };
      worker.postMessage(order);
    };
    worker.on("message", (answer: BatchAnswer) => {
      const done = batch;
      batch = [];
      this.#host.onAnswer(done, answer);
      next().catch(end);
    });
    worker.on("error", end);
    worker.on("exit", end);
    next().catch(end);
  }

  /** Sessions of one agent. Those of agents that a thread cannot load are for the caller. */
  async #nextBatch(): Promise<UnknownSession[]> {
    const batch: UnknownSession[] = [];
    let bytes = 0;
    for (let session = this.#held ?? this.#host.take(); session; session = this.#host.take()) {
      this.#held = undefined;
      if (!(await this.#canLoad(session))) {
        this.#host.onFailure([session]);
        continue;
      }
      if (batch.length > 0 && batch[0]!.catalog !== session.catalog) {
        this.#held = session;
        break;
      }
      batch.push(session);
      for (const file of session.source.files) bytes += file.size;
      if (bytes >= BATCH_BYTES || batch.length >= BATCH_SESSIONS) break;
    }
    return batch;
  }

  /** The first session of another agent, for the next batch. */
  #held: UnknownSession | undefined;

  async #canLoad({ catalog: { adapter } }: UnknownSession): Promise<boolean> {
    let canLoad = this.#builtIn.get(adapter.name);
    if (canLoad === undefined) {
      const registry = new AgentRegistry();
      canLoad = registry.has(adapter.name) && (await registry.get(adapter.name)) === adapter;
      this.#builtIn.set(adapter.name, canLoad);
    }
    return canLoad;
  }

  /** When no thread has anything left to do. */
  async idle(): Promise<void> {
    if (this.#workers.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  close(): void {
    for (const worker of this.#workers) void worker.terminate();
    this.#workers.clear();
    this.#onIdle?.();
  }
}

/** Beside the bundle, or above the chunk this ended up in. */
function programPath(): string | undefined {
  return ["./scan-worker.js", "../scan-worker.js"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
}
