/** Runs an amux command beside the daemon, one at a time. A process of its own can be ended, and its memory is gone afterwards. */
import type { AgentEnv } from "../../agents/adapter.ts";
import { amuxHome } from "../../lib/fs/paths.ts";
import { askProgram } from "../../lib/process/ask-program.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { builtFile } from "./built-file.ts";
import type { Log } from "./log.ts";

/** The first look at a large history takes minutes. */
const LIMIT_MS = 2 * 3_600_000;

/** A process blocked on a dead disk cannot be ended. */
const PATIENCE_MS = 3000;

export class BackgroundCommand {
  readonly #env: AgentEnv;
  readonly #log: Log;
  readonly #program: string;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor(env: AgentEnv, log: Log, program = builtFile("amux.cjs")) {
    this.#env = env;
    this.#log = log;
    this.#program = program;
  }

  /** It runs already, or the daemon ends. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#closing.signal.aborted;
  }

  /** Resolves when it has ended; a failure is logged as a problem with `what`. Does nothing while busy. */
  async run(what: string, args: readonly string[]): Promise<void> {
    if (this.isBusy) return;
    this.#running = this.#run(what, args);
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    await Promise.race([this.#running, late]);
  }

  async #run(what: string, args: readonly string[]): Promise<void> {
    try {
      // Whatever the user does comes first.
      await askProgram("nice", {
        args: ["-n", "10", process.execPath, this.#program, ...args],
        cwd: amuxHome(this.#env),
        env: { ...externalEnv(this.#env.vars), HOME: this.#env.home },
        timeoutMs: LIMIT_MS,
        signal: this.#closing.signal,
      });
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#log.problem(what, error);
    }
  }
}
