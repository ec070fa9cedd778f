/** The daemon's side of the ledger thread. */
import { Worker } from "node:worker_threads";
import { endThread } from "../../lib/process/end-thread.ts";
import { builtFile } from "../process/built-file.ts";
import { Problem } from "../problem.ts";
import type { FromLedgerWorker, LedgerQuestion, ToLedgerWorker } from "./ledger-messages.ts";

/** Larger queries need a shorter period. */
const MAX_MEGABYTES = 4096;

interface Waiting {
  resolve(reply: FromLedgerWorker): void;
  reject(error: Error): void;
}

export class LedgerThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(question: LedgerQuestion) {
    this.#worker = new Worker(builtFile("ledger-worker.cjs"), {
      workerData: question,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
    });
    this.#worker.on("message", (reply: FromLedgerWorker) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on("error", (error: NodeJS.ErrnoException) => this.#fail(failureOf(error)));
    this.#worker.once("exit", () => this.#fail(new Error("The ledger thread has ended.")));
  }

  /** Passes one machine's whole answer; resolves when it is processed. */
  async take(machine: number, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const piece of pieces) await this.#tell({ type: "piece", machine, piece });
    await this.#tell({ type: "whole", machine });
  }

  async missing(machine: number, error: string): Promise<void> {
    await this.#tell({ type: "missing", machine, error });
  }

  async *answer(): AsyncGenerator<string> {
    for (;;) {
      const reply = await this.#ask({ type: "next" });
      if (reply.type !== "text") return;
      yield reply.text;
    }
  }

  async close(): Promise<void> {
    await endThread(this.#worker);
  }

  async #tell(message: ToLedgerWorker): Promise<void> {
    const reply = await this.#ask(message);
    if (reply.type === "refused") throw new Problem("peer_unreachable", reply.message);
  }

  #ask(message: ToLedgerWorker): Promise<FromLedgerWorker> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(message);
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

function failureOf(error: NodeJS.ErrnoException): Error {
  if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  return new Problem("bad_request", "Too many requests for one report. Use a shorter period (since).", error);
}
