/** Copies session files into the vault while it is enabled. Each sync is a separate command that can be ended on its own. */
import type { AgentEnv } from "../../agents/adapter.ts";
import { manifestStamp, readManifest } from "../../history/vault/manifest.ts";
import { askProgram } from "../../lib/process/ask-program.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { amuxHome } from "../../lib/fs/paths.ts";
import { builtFile } from "./built-file.ts";
import type { Log } from "./log.ts";

const EVERY_MS = 30 * 60_000;
/** The first sync of a large history takes minutes. */
const LIMIT_MS = 2 * 3_600_000;

export class ScheduledVaultSync {
  readonly #env: AgentEnv;
  readonly #log: Log;
  readonly #program: string;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  #known: { stamp: string | undefined; isEnabled: boolean; syncedMs: number } | undefined;
  /** A failed sync is tried again with the next one. */
  #triedMs = 0;

  constructor(env: AgentEnv, log: Log, program = builtFile("amux.cjs")) {
    this.#env = env;
    this.#log = log;
    this.#program = program;
  }

  /** Call this about every minute. */
  async look(now = Date.now()): Promise<void> {
    if (this.#running !== undefined || this.#closing.signal.aborted) return;
    const stamp = manifestStamp(this.#env);
    if (this.#known === undefined || this.#known.stamp !== stamp) {
      const manifest = stamp === undefined ? undefined : readManifest(this.#env);
      this.#known = { stamp, isEnabled: manifest?.isEnabled === true, syncedMs: manifest?.syncedMs ?? 0 };
    }
    const since = now - Math.max(this.#known.syncedMs, this.#triedMs);
    // A clock set back must not delay the next sync for days.
    if (!this.#known.isEnabled || (since >= 0 && since < EVERY_MS)) return;
    this.#triedMs = now;
    this.#running = this.#sync();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #sync(): Promise<void> {
    try {
      await askProgram(process.execPath, {
        args: [this.#program, "vault", "sync", "--settled"],
        cwd: amuxHome(this.#env),
        env: { ...externalEnv(this.#env.vars), HOME: this.#env.home },
        timeoutMs: LIMIT_MS,
        signal: this.#closing.signal,
      });
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#log.problem("copying sessions into the vault", error);
    }
  }
}
