/** Threads that help a search. They are started when what is left would take noticeably long. */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { endThread } from "../../lib/end-thread.ts";
import type { BatchAnswer, BatchOrder, ScanOrder } from "./scan-messages.ts";
import type { UnknownSession } from "./session-scan.ts";

/** Each takes some 10 MB. */
const MAX_THREADS = 3;
/** Who waits for a disk needs no core meanwhile, and a disk gives more to those who ask for more at once. */
const MAX_THREADS_FROM_DISK = 6;
/** Of one thread's work: less for each than it takes to start. */
const WORTH_THREAD_FROM_DISK_MS = 200;

/** What a thread is asked, and about which sessions. */
export interface Batch {
  order: BatchOrder;
  sessions: readonly UnknownSession[];
}

export interface PoolHost {
  /** The next batch for a thread; undefined when there is none. */
  take(): Batch | undefined;
  onAnswer(batch: Batch, answer: BatchAnswer): void;
  /** A thread failed; the batch is to be done elsewhere. */
  onFailure(batch: Batch): void;
}

export interface ScanRest {
  /** How long what is left would take without help. */
  restMs: number;
  isFromDisk: boolean;
}

export class ScanPool {
  readonly #host: PoolHost;
  readonly #workers = new Set<Worker>();
  #onIdle: (() => void) | undefined;

  private constructor(host: PoolHost) {
    this.#host = host;
  }

  /** Undefined where there are no further cores, or the thread's program is not there (in tests of the sources). */
  static start(order: ScanOrder, host: PoolHost, { restMs, isFromDisk }: ScanRest): ScanPool | undefined {
    const program = programPath();
    const threads = isFromDisk
      ? Math.min(MAX_THREADS_FROM_DISK, Math.floor(restMs / WORTH_THREAD_FROM_DISK_MS))
      : Math.min(MAX_THREADS, availableParallelism() - 1);
    if (program === undefined || threads < 1) return undefined;
    const pool = new ScanPool(host);
    for (let thread = 0; thread < threads; thread++) pool.#start(program, order);
    return pool;
  }

  #start(program: string, order: ScanOrder): void {
    const threads = process.getBuiltinModule("node:worker_threads");
    const worker = new threads.Worker(program, { workerData: order, execArgv: [], stdin: false });
    this.#workers.add(worker);
    let batch: Batch | undefined;
    const end = (): void => {
      if (!this.#workers.delete(worker)) return;
      if (batch) this.#host.onFailure(batch);
      void endThread(worker);
      if (this.#workers.size === 0) this.#onIdle?.();
    };
    const next = (): void => {
      batch = this.#host.take();
      if (batch) worker.postMessage(batch.order);
      else end();
    };
    worker.on("message", (answer: BatchAnswer) => {
      if (batch) this.#host.onAnswer(batch, answer);
      batch = undefined;
      next();
    });
    worker.on("error", end);
    worker.on("exit", end);
    next();
  }

  /** When no thread has anything left to do. */
  async idle(): Promise<void> {
    if (this.#workers.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  close(): void {
    for (const worker of this.#workers) void endThread(worker);
    this.#workers.clear();
    this.#onIdle?.();
  }
}

/** Beside the bundle, or above the chunk this ended up in. */
function programPath(): string | undefined {
  return ["./scan-worker.cjs", "../scan-worker.cjs"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
}
