/** Ending sessions: kill ends the process, dismiss also puts the row away. */
import { AgentMuxError } from "../../core/errors.ts";
import type { Register } from "../live/register.ts";
import type { Runners } from "../live/runners.ts";
import { Problem } from "../problem.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import type { Dismissed } from "./dismissed.ts";
import { Turns } from "./turns.ts";

/** For a runner to say goodbye to everyone once its programs are gone; seconds on a machine that is very busy. */
const GONE_WITHIN_MS = 20_000;

/** How often the end of a runner is looked for when it is not told. */
const LOOK_EVERY_MS = 50;

export class Ends {
  readonly #runners: Runners;
  readonly #store: SessionStore;
  readonly #register: Register;
  readonly #dismissed: Dismissed;
  /** Shared with whoever brings sessions back. */
  readonly turns = new Turns();

  constructor(runners: Runners, store: SessionStore, register: Register, dismissed: Dismissed) {
    this.#runners = runners;
    this.#store = store;
    this.#register = register;
    this.#dismissed = dismissed;
  }

  /** Resolves when the process and its runner are gone and the store says so. One that is being brought back comes first. */
  kill(id: string): Promise<void> {
    return this.turns.take(id, () => this.endNow(id));
  }

  /** The same for whoever has the turn already. */
  async endNow(id: string): Promise<void> {
    if (!this.#recordOf(id).alive) return;
    await this.#end(id);
    const deadline = performance.now() + GONE_WITHIN_MS;
    while (this.#store.record(id)?.alive === true || !this.#register.isGone(id)) {
      if (performance.now() > deadline) throw new Problem("kill_timeout", `Session ${id} does not end.`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      if (!this.#register.isFollowing(id)) await this.#register.settle(id);
    }
  }

  /** The session's record goes; the agent's conversation stays where the agent keeps it. */
  dismiss(id: string): Promise<void> {
    return this.turns.take(id, () => this.#dismiss(id));
  }

  async #dismiss(id: string): Promise<void> {
    const record = this.#recordOf(id);
    await this.#register.whileLeaving(id, async () => {
      await this.endNow(id);
      // The socket knows better than the store: it may have been started a moment ago from a terminal.
      if (await this.#runners.answers(id)) await this.#end(id);
      const last = this.#store.record(id) ?? record;
      this.#runners.forget(id);
      this.#store.remove(id);
      // A conversation that is open elsewhere was not meant.
      const { resume_key, ...rest } = last;
      const isOpen = resume_key !== undefined && this.#store.withKey(last.kind, resume_key) !== undefined;
      this.#dismissed.add(isOpen ? rest : last);
    });
  }

  async #end(id: string): Promise<void> {
    try {
      await this.#runners.kill(id);
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      if (error.code === "TIMEOUT") throw new Problem("kill_timeout", `Session ${id} does not end.`, error);
      // A runner that broke the connection off is gone, or will be found alive.
    }
  }

  #recordOf(id: string): Readonly<SessionRecord> {
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    return record;
  }
}
