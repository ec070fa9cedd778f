/**
 * Keeps the index current, so that no search and no cost report has to read many sessions. Does nothing while nothing changes.
 */
import type { BackgroundCommand } from "./background-command.ts";

/** A session that grows is read again as a whole. */
const EVERY_MS = 15 * 60_000;

export class ScheduledIndexing {
  readonly #command: BackgroundCommand;
  /** Sessions may have changed before the daemon's start, too. */
  #isBehind = true;
  #begunMs = 0;

  constructor(command: BackgroundCommand) {
    this.#command = command;
  }

  /** Sessions are new, have changed, or are gone. */
  changed(): void {
    this.#isBehind = true;
  }

  /** Call this about every minute. */
  async look(now = Date.now()): Promise<void> {
    const since = now - this.#begunMs;
    // A clock set back must not delay it for days.
    if (!this.#isBehind || this.#command.isBusy || (since >= 0 && since < EVERY_MS)) return;
    this.#isBehind = false;
    this.#begunMs = now;
    await this.#command.run("indexing sessions", ["index", "build"]);
    // It keeps what it counted.
    await this.#command.run("adding up costs", ["cost", "report", "--json"]);
  }

  async close(): Promise<void> {
    await this.#command.close();
  }
}
