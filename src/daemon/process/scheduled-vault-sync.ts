/** Copies session files into the vault while it is enabled. */
import type { AgentEnv } from "../../agents/adapter.ts";
import { manifestStamp, readManifest } from "../../history/vault/manifest.ts";
import type { BackgroundCommand } from "./background-command.ts";

const EVERY_MS = 30 * 60_000;

export class ScheduledVaultSync {
  readonly #env: AgentEnv;
  readonly #command: BackgroundCommand;
  #known: { stamp: string | undefined; isEnabled: boolean; syncedMs: number } | undefined;
  /** A failed sync is tried again with the next one. */
  #triedMs = 0;

  constructor(env: AgentEnv, command: BackgroundCommand) {
    this.#env = env;
    this.#command = command;
  }

  /** Call this about every minute. */
  async look(now = Date.now()): Promise<void> {
    if (this.#command.isBusy) return;
    const stamp = manifestStamp(this.#env);
    if (this.#known === undefined || this.#known.stamp !== stamp) {
      const manifest = stamp === undefined ? undefined : readManifest(this.#env);
      this.#known = { stamp, isEnabled: manifest?.isEnabled === true, syncedMs: manifest?.syncedMs ?? 0 };
    }
    const since = now - Math.max(this.#known.syncedMs, this.#triedMs);
    // A clock set back must not delay the next sync for days.
    if (!this.#known.isEnabled || (since >= 0 && since < EVERY_MS)) return;
    this.#triedMs = now;
    await this.#command.run("copying sessions into the vault", ["vault", "sync", "--settled"]);
  }

  async close(): Promise<void> {
    await this.#command.close();
  }
}
