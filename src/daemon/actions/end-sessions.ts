/** Ends sessions: kill ends the process, dismiss also removes the row, restore brings it back. */
import { AgentMuxError } from "../../core/errors.ts";
import type { Register } from "../live/register.ts";
import type { Runners } from "../live/runners.ts";
import { Problem } from "../problem.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import type { Dismissed } from "./dismissed.ts";
import { SessionQueue } from "./session-queue.ts";

/** Time for a runner to say goodbye after its programs are gone; seconds on a very busy machine. */
const GONE_WITHIN_MS = 20_000;

/** Interval of checks if the runner's end is not reported. */
const LOOK_EVERY_MS = 50;

/** Dismissals that can be undone. */
const MAX_RESTORABLE = 200;

export class SessionEnder {
  readonly #runners: Runners;
  readonly #store: SessionStore;
  readonly #register: Register;
  readonly #dismissed: Dismissed;
  readonly #removed = new Map<string, Readonly<SessionRecord>>();
  readonly #onRestored: (record: Readonly<SessionRecord> | undefined) => void;
  /** Shared with the code that revives sessions. */
  readonly turns = new SessionQueue();

  constructor(
    runners: Runners,
    store: SessionStore,
    register: Register,
    dismissed: Dismissed,
    onRestored: (record: Readonly<SessionRecord> | undefined) => void,
  ) {
    this.#onRestored = onRestored;
    this.#runners = runners;
    this.#store = store;
    this.#register = register;
    this.#dismissed = dismissed;
  }

  /** Resolves when the process and its runner are gone and the store knows. A pending resume finishes first. */
  kill(id: string): Promise<void> {
    return this.turns.take(id, () => this.endNow(id));
  }

  /** The same for a caller that already has the turn. */
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

  /** Removes the session's record; the agent's conversation stays. */
  dismiss(id: string): Promise<void> {
    return this.turns.take(id, () => this.#dismiss(id));
  }

  async #dismiss(id: string): Promise<void> {
    const record = this.#recordOf(id);
    await this.#register.whileLeaving(id, async () => {
      await this.endNow(id);
      // The socket is more current than the store: a terminal may have started it just now.
      if (await this.#runners.answers(id)) await this.#end(id);
      const last = this.#store.record(id) ?? record;
      this.#runners.forget(id);
      this.#store.remove(id);
      // A conversation open elsewhere is not meant.
      const { resume_key, ...rest } = last;
      const isOpen = resume_key !== undefined && this.#store.withKey(last.kind, resume_key) !== undefined;
      this.#dismissed.add(isOpen ? rest : last);
      this.#removed.delete(id);
      this.#removed.set(id, last);
      if (this.#removed.size > MAX_RESTORABLE) this.#removed.delete([...this.#removed.keys()][0]!);
    });
  }

  /** Shows a dismissed session again, as ended. */
  restore(id: string): Promise<void> {
    return this.turns.take(id, async () => {
      // Without a record an earlier daemon dismissed it.
      const record = this.#removed.get(id);
      const isWithoutFiles = record !== undefined && record.started_at === undefined;
      if (!isWithoutFiles && !this.#runners.restore(id))
        throw new Problem("not_found", "The session can no longer be restored.");
      this.#removed.delete(id);
      if (record !== undefined) this.#dismissed.forget(record);
      this.#onRestored(record);
    });
  }

  async #end(id: string): Promise<void> {
    try {
      await this.#runners.kill(id);
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      if (error.code === "TIMEOUT") throw new Problem("kill_timeout", `Session ${id} does not end.`, error);
      // A runner that closed the connection is gone, or will be found alive.
    }
  }

  #recordOf(id: string): Readonly<SessionRecord> {
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    return record;
  }
}
