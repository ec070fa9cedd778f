/** Queues of this machine's sessions: of a running one through its runner, of an ended one on disk. */
import { existsSync } from "node:fs";
import { actOnQueue } from "../../client/queue-of-runner.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { PromptQueueAnswer, QueueAct } from "../../protocol/queue.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import { countsOf } from "../../status/queue/changes.ts";
import { actOnStored, storedQueue } from "../../status/queue/stored-queue.ts";
import { Problem } from "../problem.ts";
import { SHELL_KIND } from "../store/derived-fields.ts";
import type { SessionStore } from "../store/store.ts";

export class PromptQueues {
  readonly #places: SessionDirectories;
  readonly #store: SessionStore;
  readonly #onWaiting: () => void;

  /** `onWaiting`: something may have to be started for a changed queue. */
  constructor(places: SessionDirectories, store: SessionStore, onWaiting: () => void) {
    this.#onWaiting = onWaiting;
    this.#places = places;
    this.#store = store;
  }

  async act(id: string, act: QueueAct): Promise<PromptQueueAnswer> {
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    const files = sessionFiles(this.#places, id);
    try {
      const answer = await actOnQueue(files.socket, act);
      // The runner stays for a moment after its program; it can save a prompt but not deliver it.
      if (this.#store.record(id)?.alive === false) this.#changed(id, act);
      return answer;
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      // A runner that ends closes the connection: whether it still made a change is unknown, but the file can be read.
      const hasEnded = error.code === "SESSION_NOT_FOUND" || (error.code === "INTERNAL" && act.kind === "list");
      if (!hasEnded) throw error;
    }
    if (!existsSync(files.directory))
      throw new Problem("not_running", "The session has never had a process. Resume it first.");
    if (act.kind === "add" && record.kind === SHELL_KIND)
      throw new Problem("not_running", "The session has ended, and it has no agent that could be resumed.");
    const answer = actOnStored(id, files, act, Date.now());
    this.#changed(id, act);
    return answer;
  }

  /** Of an ended session. */
  #changed(id: string, act: QueueAct): void {
    if (act.kind === "list") return;
    this.#store.upsert("runner", id, countsOf(storedQueue(sessionFiles(this.#places, id))));
    this.#onWaiting();
  }

  /** Sessions that have had prompts. */
  sessions(): string[] {
    return this.#store.list().flatMap(({ id, peer, queued, queue_held }) => {
      return peer === undefined && (queued ?? queue_held) !== undefined ? [id] : [];
    });
  }
}
