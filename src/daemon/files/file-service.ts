/** The daemon's side of the history process. One that dies is replaced; its open requests fail. */
import type { ChildProcess } from "node:child_process";
import type { AgentEnv } from "../../agents/adapter.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { mainThreadTicks } from "../../lib/process/processes.ts";
import { withoutControls } from "../../lib/text/text.ts";
import type { Work } from "./agent-files.ts";
import type { FilesUpdate } from "./found-conversation.ts";
import type { HistoryRequest } from "./history-request.ts";
import { endHistoryProcess, isRunning, startHistoryProcess } from "./history-process.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** A process silent for this long, or at most twice as long, is ended, unless it computes. */
const STANDING_STILL_MS = 20_000;

/** On a slow disk it is not: the time is doubled after each end of a blocked process without an answer, up to this factor. */
const MAX_PATIENCE = 16;

/**
 * As a factor of that time: a listing of a million files took two minutes on a busy machine. Never more: other requests wait,
 * and a computation may be endless.
 */
const MAX_COMPUTING = 9;

/** A blocked process uses less. */
const FEW_TICKS = 2;

/** The restart delay as a share of that time: a store that crashes its reader must not keep a core busy. */
const RESTART_PART = 4;

/** The delay is doubled after each end before every store was checked, up to this factor. */
const MAX_RESTART = 12;

const MAX_STDERR = 4000;

export interface FileServiceListener {
  onNews(news: FilesUpdate): void;
  onProblem(what: string, error: unknown): void;
}

export interface FileServiceOptions {
  /** A process started earlier. */
  first?: ChildProcess | undefined;
  /** Program of later ones. */
  file?: string;
  standingStillMs?: number;
}

type Reply = Extract<FromWorker, { call: number }>;
/** News about files, and the end of a scan. */
type News = Extract<FromWorker, { type: "news" | "scanned" }>;

export class FileService {
  readonly #listener: FileServiceListener;
  readonly #newProcess: () => ChildProcess;
  readonly #standingStillMs: number;
  /** Factors of the time to wait for a blocked process, and for a restart. */
  #patience = 1;
  #restartDelay = 1;
  readonly #calls = new Map<number, (reply: Reply) => void>();
  readonly #waiting: News[] = [];
  /** Requests made while no process ran. */
  readonly #unsent: ToWorker[] = [];
  #worker: ChildProcess | undefined;
  #watch: NodeJS.Timeout | undefined;
  #watchDueMs = 0;
  /** Nothing was received since the last ping. */
  #isSilent = false;
  /** Processor time of the process at the last look, and how many looks found it computing or blocked since it was heard. */
  #ticks = 0;
  #computing = 0;
  #blocked = 0;
  #restart: NodeJS.Timeout | undefined;
  #followed: string[] = [];
  #lastCall = 0;
  #closed = false;
  readonly started: Promise<void>;
  #onStarted: () => void = () => undefined;

  constructor(env: AgentEnv, listener: FileServiceListener, { first, file, standingStillMs }: FileServiceOptions = {}) {
    this.#newProcess = () => startHistoryProcess(env, file);
    this.#standingStillMs = standingStillMs ?? STANDING_STILL_MS;
    this.#listener = listener;
    this.started = new Promise((resolve) => (this.#onStarted = resolve));
    this.#start(first !== undefined && isRunning(first) ? first : this.#newProcess());
  }

  /** Agents with running sessions: their changes are wanted soon. */
  follow(agents: Iterable<string>): void {
    this.#followed = [...agents].sort();
    this.#send({ type: "follow", agents: this.#followed });
  }

  /** Checks everything that changed since the last scan; resolves when all of it is reported. */
  async scan(): Promise<Work> {
    const reply = await this.#ask((call) => ({ type: "scan", call }));
    return reply.type === "scanned" ? reply.work : { listings: 0, heads: 0 };
  }

  /** Streams the answer. Leaving early, or the signal, ends the work behind it. */
  async *read(request: HistoryRequest, signal?: AbortSignal): AsyncGenerator<string> {
    let call = 0;
    let open = true;
    // Nothing may arrive for seconds; the caller must be able to leave meanwhile.
    const leave = (): void => this.#giveUp(call);
    const stopIfLeft = (): void => {
      if (signal?.aborted === true) throw givenUp();
    };
    stopIfLeft();
    signal?.addEventListener("abort", leave);
    try {
      let reply = await this.#ask((number) => ({ type: "open", call: (call = number), request }));
      while (reply.type === "piece") {
        yield reply.text;
        stopIfLeft();
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
    clearTimeout(this.#watch);
    if (this.#worker !== undefined) await endHistoryProcess(this.#worker);
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
      if (this.#watch === undefined) this.#lookLater();
      this.#send(message(call));
    });
  }

  #send(message: ToWorker): void {
    if (this.#worker === undefined) this.#unsent.push(message);
    else if (this.#worker.connected) this.#worker.send(message);
  }

  #start(worker: ChildProcess): void {
    worker.ref();
    worker.channel?.ref();
    this.#worker = worker;
    this.#restart = undefined;
    this.#heard();
    worker.on("message", (message: FromWorker) => this.#received(message));
    worker.on("error", (error) => {
      this.#listener.onProblem("reading agents' files", error);
      // A process that failed to start sends no exit event.
      if (worker.pid === undefined) this.#died(worker);
    });
    let stderr = "";
    worker.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-MAX_STDERR)));
    worker.once("close", (code, signal) => {
      if (this.#worker === worker && !this.#closed) {
        const message = `The history process ended with ${signal ?? code}. ${withoutControls(stderr)}`.trim();
        this.#listener.onProblem("reading agents' files", new Error(message));
      }
      this.#died(worker);
    });
    this.#send({ type: "follow", agents: this.#followed });
    for (const message of this.#unsent.splice(0)) this.#send(message);
  }

  #lookLater(): void {
    this.#watchDueMs = performance.now() + this.#standingStillMs;
    this.#watch = setTimeout(() => this.#lookForLife(), this.#standingStillMs);
  }

  /** Only while a request is open: nothing is woken at rest. */
  #lookForLife(): void {
    // The daemon stood still itself, perhaps together with the process.
    const isLate = performance.now() - this.#watchDueMs > this.#standingStillMs / 4;
    if (this.#calls.size === 0) {
      this.#watch = undefined;
      this.#heard();
    } else if (this.#isSilent && !isLate && this.#maySilenceGoOn()) {
      this.#lookLater();
    } else if (this.#isSilent && !isLate) {
      // A sign of life may have arrived that is not yet read.
      setImmediate(() => {
        if (this.#closed) return;
        if (this.#isSilent) this.#endSilent();
        this.#lookLater();
      });
    } else {
      this.#isSilent = true;
      this.#ticks = mainThreadTicks(this.#worker?.pid ?? 0) ?? 0;
      this.#send({ type: "ping" });
      this.#lookLater();
    }
  }

  /** A process that waits for a disk does not compute. */
  #maySilenceGoOn(): boolean {
    const ticks = mainThreadTicks(this.#worker?.pid ?? 0) ?? 0;
    if (ticks > this.#ticks + FEW_TICKS) this.#computing++;
    else this.#blocked++;
    this.#ticks = ticks;
    return this.#computing < MAX_COMPUTING && this.#blocked < this.#patience;
  }

  #heard(): void {
    this.#isSilent = false;
    this.#computing = 0;
    this.#blocked = 0;
  }

  #endSilent(): void {
    const wasBlocked = this.#blocked >= this.#patience;
    this.#heard();
    if (this.#worker !== undefined) {
      const error = new Error("The history process did not respond and was ended.");
      this.#listener.onProblem("reading agents' files", error);
      if (wasBlocked) this.#patience = Math.min(MAX_PATIENCE, 2 * this.#patience);
      // Its end is awaited before a restart: the system cannot end a process that waits for some disks.
      this.#worker.kill("SIGKILL");
      this.#worker = undefined;
    }
    this.#fail("The history process did not respond and was ended. Try again; see amux daemon log for details.");
  }

  #received(message: FromWorker): void {
    this.#heard();
    if (message.type === "alive") return;
    if (message.type === "news" || message.type === "scanned") this.#takeLater(message);
    else if (message.type === "started") {
      this.#restartDelay = 1;
      this.#onStarted();
    } else if (message.type === "problem") this.#listener.onProblem(message.what, message.detail);
    else this.#answered(message);
  }

  /** In order, but not all at once: thousands of files may change together while others wait for answers. */
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
    this.#patience = 1;
    const resolve = this.#calls.get(reply.call);
    this.#calls.delete(reply.call);
    resolve?.(reply);
  }

  #died(worker: ChildProcess): void {
    if (this.#worker === worker) {
      this.#worker = undefined;
      this.#fail("The history process has failed.");
    }
    if (this.#closed || this.#restart !== undefined) return;
    const waitMs = (this.#restartDelay * this.#standingStillMs) / RESTART_PART;
    this.#restartDelay = Math.min(MAX_RESTART, 2 * this.#restartDelay);
    this.#restart = setTimeout(() => this.#start(this.#newProcess()), waitMs);
  }

  #fail(message: string): void {
    for (const [call, resolve] of this.#calls) resolve({ type: "failure", call, code: "INTERNAL", message });
    this.#calls.clear();
    this.#unsent.length = 0;
  }
}

function givenUp(): AgentMuxError {
  return new AgentMuxError("ABORTED", "The request was cancelled.");
}
