/** A thread that helps a search. It is started when what is left would take noticeably long. */
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { endThread } from "../../lib/end-thread.ts";
import type { BatchAnswer, BatchOrder, ScanOrder } from "./scan-messages.ts";
import type { UnknownSession } from "./session-scan.ts";

/** What the thread is asked, and about which sessions. */
export interface Batch {
  order: BatchOrder;
  sessions: readonly UnknownSession[];
}

export interface ThreadHost {
  /** The next batch; undefined when there is none. */
  take(): Batch | undefined;
  onAnswer(batch: Batch, answer: BatchAnswer): void;
  /** The thread failed; the batch is to be done elsewhere. */
  onFailure(batch: Batch): void;
}

export class ScanThread {
  readonly #host: ThreadHost;
  #worker: Worker | undefined;
  /** Under way. */
  #batch: Batch | undefined;
  #onIdle: (() => void) | undefined;

  private constructor(host: ThreadHost, program: string, order: ScanOrder) {
    this.#host = host;
    this.#worker = this.#start(program, order);
  }

  /** Undefined where there is no second core, or the thread's program is not there (in tests of the sources). */
  static start(order: ScanOrder, host: ThreadHost): ScanThread | undefined {
    const program = programPath();
    return program === undefined || availableParallelism() < 2 ? undefined : new ScanThread(host, program, order);
  }

  #start(program: string, order: ScanOrder): Worker {
    const threads = process.getBuiltinModule("node:worker_threads");
    const worker = new threads.Worker(program, { workerData: order, execArgv: [], stdin: false });
    const end = (): void => {
      if (this.#worker === undefined) return;
      if (this.#batch) this.#host.onFailure(this.#batch);
      this.close();
    };
    const next = (): void => {
      if (this.#worker === undefined) return;
      this.#batch = this.#host.take();
      if (this.#batch) worker.postMessage(this.#batch.order);
      else end();
    };
    worker.on("message", (answer: BatchAnswer) => {
      if (this.#batch) this.#host.onAnswer(this.#batch, answer);
      next();
    });
    worker.on("error", end);
    worker.on("exit", end);
    worker.on("online", next);
    return worker;
  }

  /** When it has done what it took, after which there is nothing left for it. */
  async idle(): Promise<void> {
    if (this.#batch === undefined) this.close();
    if (this.#worker === undefined) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  close(): void {
    if (this.#worker) void endThread(this.#worker);
    this.#worker = undefined;
    this.#batch = undefined;
    this.#onIdle?.();
  }
}

/** Beside the bundle, or above the chunk this ended up in. */
function programPath(): string | undefined {
  return ["./scan-worker.cjs", "../scan-worker.cjs"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
}
