/** Further terminals of a running session, in its directory, ended one by one. */
import { openShimConnection } from "../../client/open-shim-connection.ts";
import { ShimPty } from "../../client/shim-pty.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import { Problem } from "../problem.ts";
import type { SessionStore } from "../store/store.ts";

const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

export interface NewTerminal {
  cols?: number | undefined;
  rows?: number | undefined;
  /** The user's shell by default. */
  command?: string[] | undefined;
}

export class Terminals {
  readonly #places: SessionDirectories;
  readonly #store: SessionStore;

  constructor(places: SessionDirectories, store: SessionStore) {
    this.#places = places;
    this.#store = store;
  }

  /** Returns the id of the new terminal. */
  open(id: string, { cols = DEFAULT_COLS, rows = DEFAULT_ROWS, command }: NewTerminal): Promise<string> {
    return this.#with(id, (service, cwd) =>
      service.create({ cols, rows, cwd, ...(command === undefined ? {} : { command }) }),
    );
  }

  /** Resolves when its program is gone. */
  end(id: string, terminal: string): Promise<void> {
    return this.#with(id, (service) => service.destroy(terminal));
  }

  async #with<Value>(id: string, act: (service: ShimPty, cwd: string) => Promise<Value>): Promise<Value> {
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    if (!record.alive) throw new Problem("not_running", "The session is not running.");
    let service: ShimPty | undefined;
    try {
      const connection = await openShimConnection(sessionFiles(this.#places, id).socket);
      service = new ShimPty(connection);
      return await act(service, record.cwd);
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      if (error.code === "PTY_NOT_AVAILABLE") throw new Problem("bad_request", error.message, error);
      throw new Problem("runner_unreachable", "The session's process does not answer.", error);
    } finally {
      await service?.close();
    }
  }
}
