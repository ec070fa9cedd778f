/** Ending sessions: kill ends the process, dismiss also puts the row away. */
import { rmSync } from "node:fs";
import { askRunner } from "../../client/runner-http.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { sessionFiles, type SessionPlaces } from "../../protocol/session-files.ts";
import type { Register } from "../live/register.ts";
import { Problem } from "../problem.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import type { Dismissed } from "./dismissed.ts";

/** A program has two seconds to hang up before it is killed, its runner two more to say goodbye. */
const KILL_WITHIN_MS = 10_000;

/** How often the end of a runner is looked for when it is not told. */
const LOOK_EVERY_MS = 50;

export class Ends {
  readonly #places: SessionPlaces;
  readonly #store: SessionStore;
  readonly #register: Register;
  readonly #dismissed: Dismissed;

  constructor(places: SessionPlaces, store: SessionStore, register: Register, dismissed: Dismissed) {
    this.#places = places;
    this.#store = store;
    this.#register = register;
    this.#dismissed = dismissed;
  }

  /** Resolves when the process and its runner are gone and the store says so. */
  async kill(id: string): Promise<void> {
    const record = this.#recordOf(id);
    if (!record.alive) return;
    await this.#end(record);
    const deadline = Date.now() + KILL_WITHIN_MS;
    while (this.#store.record(id)?.alive === true || !this.#register.isGone(id)) {
      if (Date.now() > deadline) throw new Problem("kill_timeout", `Session ${id} does not end.`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      if (!this.#register.isFollowing(id)) await this.#register.settle(id);
    }
  }

  /** The session's record goes; the agent's conversation stays where the agent keeps it. */
  async dismiss(id: string): Promise<void> {
    const record = this.#recordOf(id);
    await this.#register.whileLeaving(id, async () => {
      await this.kill(id);
      this.#dismissed.add(this.#store.record(id) ?? record);
      rmSync(sessionFiles(this.#places, id).directory, { recursive: true, force: true });
      this.#store.remove(id);
    });
  }

  async #end(record: Readonly<SessionRecord>): Promise<void> {
    const { socket } = sessionFiles(this.#places, record.id);
    try {
      await askRunner(socket, { method: "POST", path: "/kill", timeoutMs: KILL_WITHIN_MS });
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      if (error.code === "TIMEOUT") throw new Problem("kill_timeout", `Session ${record.id} does not end.`, error);
      // A runner that cannot be reached is either gone, which is what was wanted, or will be found alive below.
    }
  }

  #recordOf(id: string): Readonly<SessionRecord> {
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    return record;
  }
}
