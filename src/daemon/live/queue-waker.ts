/** Resumes ended sessions whose queue has a prompt that is due, one at a time, so that they do not all begin at once. */
import type { StoredPrompt, StoredQueue } from "../../core/queue.ts";
import type { NextReset } from "../../limits/next-reset.ts";
import { CoalescedRuns } from "../../lib/process/coalesced-runs.ts";
import { isLockHeld } from "../../lib/process/process-lock.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { truncate } from "../../lib/text/text.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import { countsOf, dueAt, withMendedSlots } from "../../status/queue/changes.ts";
import { takeTurn } from "../../status/queue/reset-turns.ts";
import { changeStored, storedQueue } from "../../status/queue/stored-queue.ts";
import type { SessionReviver } from "../actions/session-reviver.ts";
import { SHELL_KIND } from "../store/derived-fields.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";

/** A session that ends again and again is not resumed for ever. */
const MAX_WAKES = 3;

/** For the second try; the third waits twice as long. A directory or a network may be back by then. */
const BETWEEN_WAKES_MS = 60_000;

/** A runner stays for seconds after its program. One that never goes is looked for less and less. */
const FIRST_LEAVING_LOOK_MS = 250;
const LAST_LEAVING_LOOK_MS = 10_000;

const MAX_NOTE = 300;

export interface QueueWakerParts {
  places: SessionDirectories;
  store: SessionStore;
  resumes: Pick<SessionReviver, "resume">;
  /** `session` is the agent's own id. */
  nextReset(agent: string, session: string | undefined, now: number): NextReset;
  onProblem(what: string, error: unknown): void;
}

export class QueueWaker {
  readonly #parts: QueueWakerParts;
  /** When each session was resumed last, in milliseconds since the epoch. */
  readonly #woken = new Map<string, number>();
  /** What is queued during a look is seen by the next one, at once. */
  readonly #looks = new CoalescedRuns(() => this.#look(this.#now).finally(() => this.#lookAtLeaving()));
  #now = 0;
  #isLeaving = false;
  #leavingLookMs = FIRST_LEAVING_LOOK_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: QueueWakerParts) {
    this.#parts = parts;
  }

  /** Resumes at most one session. */
  look(now = Date.now()): Promise<void> {
    this.#now = now;
    return this.#looks.ask();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Looks again if a session can be resumed only when its last runner has gone. */
  #lookAtLeaving(): void {
    clearTimeout(this.#timer);
    this.#leavingLookMs = this.#isLeaving
      ? Math.min(2 * this.#leavingLookMs, LAST_LEAVING_LOOK_MS)
      : FIRST_LEAVING_LOOK_MS;
    if (this.#isLeaving) this.#timer = setTimeout(() => void this.look(), this.#leavingLookMs).unref();
  }

  async #look(now: number): Promise<void> {
    this.#isLeaving = false;
    for (const record of this.#parts.store.records()) {
      if (record.alive || !record.queued || record.kind === SHELL_KIND) continue;
      try {
        if (await this.#wake(record, now)) return;
      } catch (error) {
        this.#parts.onProblem(`the queue of ${record.id}`, error);
      }
    }
  }

  async #wake(record: Readonly<SessionRecord>, now: number): Promise<boolean> {
    const { places, resumes, store } = this.#parts;
    const { id } = record;
    const files = sessionFiles(places, id);
    const before = storedQueue(files);
    if (before.paused !== undefined) return false;
    if (before.items.some(hasNoReset)) this.#findReset(record, now);
    if (withMendedSlots(before.items, now) !== undefined)
      changeStored(files, ({ items, ...queue }) => ({ ...queue, items: withMendedSlots(items, now) ?? items }));
    const due = storedQueue(files).items.filter((prompt) => isDue(prompt, now));
    if (due.length === 0) return false;
    if (isLockHeld(files.lock)) {
      this.#isLeaving = true;
      return false;
    }
    const tries = Math.min(...due.map(({ wakes = 0 }) => wakes));
    const waited = now - (this.#woken.get(id) ?? 0);
    // A clock that was set back must not make it wait.
    if (waited >= 0 && waited < tries * BETWEEN_WAKES_MS) return false;
    const isTired = tries >= MAX_WAKES;
    // Counted before it starts: a crash of the daemon counts too.
    const after = changeStored(files, (queue) => counted(queue, now));
    if (after === undefined) return false;
    if (isTired) {
      store.upsert("runner", id, countsOf(after));
      return false;
    }
    this.#woken.set(id, now);
    try {
      await resumes.resume(id);
    } catch (error) {
      changeStored(files, (queue) => noted(queue, now, errorText(error)));
      throw error;
    }
    return true;
  }

  #findReset({ id, kind, agent = kind, resume_key }: Readonly<SessionRecord>, now: number): void {
    const { places, nextReset } = this.#parts;
    const { at, of } = nextReset(agent, resume_key, now);
    const turn = at === undefined ? undefined : takeTurn(places.home, of, at);
    if (turn === undefined) return;
    const due_at = new Date(turn).toISOString();
    changeStored(sessionFiles(places, id), (queue) => ({
      ...queue,
      items: queue.items.map((prompt) => (hasNoReset(prompt) ? { ...prompt, due_at } : prompt)),
    }));
  }
}

function hasNoReset({ state, when, due_at }: StoredPrompt): boolean {
  return state === "queued" && when === "reset" && due_at === undefined;
}

function isDue(prompt: StoredPrompt, now: number): boolean {
  return prompt.state === "queued" && prompt.paused !== true && (dueAt(prompt, now) ?? Infinity) <= now;
}

function counted(queue: StoredQueue, now: number): StoredQueue {
  const items = queue.items.map((prompt): StoredPrompt => {
    const { wakes = 0, note = "It ended before the prompt could be sent." } = prompt;
    if (!isDue(prompt, now)) return prompt;
    if (wakes < MAX_WAKES) return { ...prompt, wakes: wakes + 1 };
    const held_at = new Date(now).toISOString();
    return { ...prompt, state: "held", held_at, note: `Not sent: the session was resumed ${wakes} times. ${note}` };
  });
  return { ...queue, items };
}

function noted(queue: StoredQueue, now: number, note: string): StoredQueue {
  const short = truncate(note, MAX_NOTE);
  return { ...queue, items: queue.items.map((prompt) => (isDue(prompt, now) ? { ...prompt, note: short } : prompt)) };
}
