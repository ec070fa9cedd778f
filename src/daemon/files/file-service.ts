/** The daemon's side of the thread that reads agents' files. A thread that dies is replaced; its open answers fail. */
import type { Worker } from "node:worker_threads";
import type { AgentEnv } from "../../agents/adapter.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { endThread } from "../../lib/process/end-thread.ts";
import type { Work } from "./agent-files.ts";
import type { FilesNews } from "./found-conversation.ts";
import type { HistoryRequest } from "./history-request.ts";
import { startHistoryThread } from "./history-thread.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** A store that kills its reader must not keep a core busy with new readers. */
const RESTART_AFTER_MS = 5000;

export interface FileServiceListener {
  onNews(news: FilesNews): void;
  onProblem(what: string, error: unknown): void;
}

type Reply = Extract<FromWorker, { call: number }>;
/** What is told of files, and that all of it has been. */
type News = Extract<FromWorker, { type: "news" | "scanned" }>;

export class FileService {
  readonly #listener: FileServiceListener;
  readonly #newThread: () => Worker;
  readonly #calls = new Map<number, (reply: Reply) => void>();
  readonly #waiting: News[] = [];
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #followed: string[] = [];
  #lastCall = 0;
  #closed = false;
  readonly started: Promise<void>;
  #onStarted: () => void = () => undefined;

  /** `first`: a thread that was started already; `file`: the program of further ones. */
  constructor(env: AgentEnv, listener: FileServiceListener, first?: Worker, file?: string) {
    this.#newThread = () => startHistoryThread(env, file);
    this.#listener = listener;
    this.started = new Promise((resolve) => (this.#onStarted = resolve));
    this.#start(first !== undefined && isRunning(first) ? first : this.#newThread());
  }

  /** Agents with live sessions: what they write is wanted soon. */
  follow(agents: Iterable<string>): void {
    this.#followed = [...agents].sort();
    this.#send({ type: "follow", agents: this.#followed });
  }

  /** Looks at whatever changed since the last time; all of it has been told when this resolves. */
  async scan(): Promise<Work> {
    const reply = await this.#ask((call) => ({ type: "scan", call }));
    return reply.type === "scanned" ? reply.work : { listings: 0, heads: 0 };
  }

  /** The answer's text as it is read. Leaving early, or the signal, ends the work behind it at once. */
  async *read(request: HistoryRequest, signal?: AbortSignal): AsyncGenerator<string> {
    let call = 0;
    let open = true;
    // Nothing may come for seconds; who asked must be able to leave in the middle of that.
    const leave = (): void => this.#giveUp(call);
    if (signal?.aborted === true) throw givenUp();
    signal?.addEventListener("abort", leave);
    try {
      let reply = await this.#ask((number) => ({ type: "open", call: (call = number), request }));
      while (reply.type === "piece") {
        yield reply.text;
        reply = await this.#ask(() => ({ type: "next", call }), call);
      }
      open = false;
      if (reply.type === "failure") throw new AgentMuxError(reply.code, reply.message);
    } finally {
      signal?.removeEventListener("abort", leave);
      if (open) this.#giveUp(call);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#restart);
    if (this.#worker !== undefined) await endThread(this.#worker);
  }

  #giveUp(call: number): void {
    this.#send({ type: "cancel", call });
    const { code, message } = givenUp();
    this.#calls.get(call)?.({ type: "failure", call, code, message });
    this.#calls.delete(call);
  }

  #ask(message: (call: number) => ToWorker, call = ++this.#lastCall): Promise<Reply> {
    return new Promise((resolve) => {
      this.#calls.set(call, resolve);
      if (this.#worker === undefined) this.#fail("The reader of agents' files is being restarted.");
      else this.#send(message(call));
    });
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  #start(worker: Worker): void {
    worker.ref();
    this.#worker = worker;
    worker.on("message", (message: FromWorker) => this.#received(message));
    worker.on("error", (error) => this.#listener.onProblem("reading agents' files", error));
    worker.once("exit", () => this.#died());
    this.#send({ type: "follow", agents: this.#followed });
  }

  #received(message: FromWorker): void {
    if (message.type === "news" || message.type === "scanned") this.#takeLater(message);
    else if (message.type === "started") this.#onStarted();
    else if (message.type === "problem") this.#listener.onProblem(message.what, message.detail);
    else this.#answered(message);
  }

  /** In their order, but not all at once: ten thousand files may change together, and others have questions meanwhile. */
  #takeLater(message: News): void {
    if (this.#waiting.push(message) === 1) setImmediate(this.#takeNext);
  }

  readonly #takeNext = (): void => {
    const message = this.#waiting.shift();
    if (message === undefined || this.#closed) return;
    if (this.#waiting.length > 0) setImmediate(this.#takeNext);
    if (message.type === "news") this.#listener.onNews(message.news);
    else this.#answered(message);
  };

  #answered(reply: Reply): void {
    const resolve = this.#calls.get(reply.call);
    this.#calls.delete(reply.call);
    resolve?.(reply);
  }

  #died(): void {
    this.#worker = undefined;
    this.#fail("The reader of agents' files has failed.");
    if (!this.#closed) this.#restart = setTimeout(() => this.#start(this.#newThread()), RESTART_AFTER_MS);
  }

  #fail(message: string): void {
    for (const [call, resolve] of this.#calls) resolve({ type: "failure", call, code: "INTERNAL", message });
    this.#calls.clear();
  }
}

function givenUp(): AgentMuxError {
  return new AgentMuxError("ABORTED", "The request was given up.");
}

/** The number of one that has ended is taken away. */
function isRunning({ threadId }: Worker): boolean {
  return threadId >= 0;
}
