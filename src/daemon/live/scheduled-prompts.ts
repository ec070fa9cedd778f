/**
 * Starts sessions with a prompt at a time. The prompt goes into the new session's own queue before the session is started, and the
 * session's id is on disk by then: after a crash at any point, it is started or waits, and never twice.
 */
import { existsSync, rmSync } from "node:fs";
import { AgentMuxError } from "../../core/errors.ts";
import type { StoredSchedule } from "../../core/queue.ts";
import type { NextReset } from "../../limits/next-reset.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { CoalescedRuns } from "../../lib/process/coalesced-runs.ts";
import { isLockHeld } from "../../lib/process/process-lock.ts";
import { optional } from "../../lib/values/optional.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { truncate } from "../../lib/text/text.ts";
import type { LaunchRequest } from "../../protocol/daemon-api.ts";
import type { QueueChange, ScheduledPrompt, ScheduleRequest } from "../../protocol/queue.ts";
import { sessionFiles, type SessionDirectories } from "../../protocol/session-files.ts";
import { newSessionId } from "../../protocol/session-id.ts";
import { afterAct, dueAt, newPrompt, replaced, withMendedSlots, withPrompt } from "../../status/queue/changes.ts";
import { takeTurn } from "../../status/queue/reset-turns.ts";
import { writeQueue } from "../../status/queue/queue-file.ts";
import { readSchedule, shownSchedule, writeSchedule } from "../../status/queue/schedule-file.ts";
import { slotOf, storedWhen } from "../../status/queue/when.ts";

/** Sessions of one prompt that may run at the same time: nobody may look at them for weeks. */
const MAX_RUNNING = 10;

const MAX_NOTE = 300;

export interface ScheduledPromptsParts {
  places: SessionDirectories;
  launch(request: LaunchRequest, id: string): Promise<unknown>;
  /** Throws if the agent is unknown, or a session cannot start in the directory. */
  check(request: Pick<ScheduleRequest, "agent" | "cwd">): Promise<void>;
  nextReset(agent: string, session: undefined, now: number): NextReset;
  /** Something may have to be started. */
  onWaiting(): void;
  onProblem(what: string, error: unknown): void;
}

export class ScheduledPrompts {
  readonly #parts: ScheduledPromptsParts;
  readonly #looks = new CoalescedRuns(() => this.#look(this.#now));
  #now = 0;

  constructor(parts: ScheduledPromptsParts) {
    this.#parts = parts;
  }

  list(now = Date.now()): ScheduledPrompt[] {
    return this.#read().map((item) => shownSchedule(item, now));
  }

  async add({ agent, cwd, text, when }: ScheduleRequest, now = Date.now()): Promise<ScheduledPrompt> {
    await this.#parts.check({ agent, cwd });
    const item = { ...newPrompt({ text, when }, now), agent, cwd };
    this.#write(withPrompt({ items: this.#read() }, item).items as StoredSchedule[]);
    this.#parts.onWaiting();
    return shownSchedule(item, now);
  }

  change(change: QueueChange, now = Date.now()): ScheduledPrompt {
    if (change.item === undefined) throw new AgentMuxError("VALIDATION_ERROR", "Name the prompt to change.");
    const { items } = afterAct({ items: this.#read() }, { kind: "change", change }, now);
    this.#write(items as StoredSchedule[]);
    this.#parts.onWaiting();
    return shownSchedule(
      (items as StoredSchedule[]).find(({ id }) => id === change.item)!,
      now,
    );
  }

  remove(item: string): void {
    const { items } = afterAct({ items: this.#read() }, { kind: "remove", item }, Date.now());
    this.#write(items as StoredSchedule[]);
  }

  /** Starts what is due. What is scheduled during a look is seen by the next one, at once. */
  look(now = Date.now()): Promise<void> {
    this.#now = now;
    return this.#looks.ask();
  }

  async #look(now: number): Promise<void> {
    const mended = withMendedSlots(this.#read(), now);
    if (mended !== undefined) this.#write(mended);
    for (const { id } of this.#read()) {
      try {
        // Read anew: the user may change it while another one starts.
        const item = this.#read().find((each) => each.id === id);
        if (item !== undefined) await this.#lookAt(item, now);
      } catch (error) {
        this.#parts.onProblem(`the scheduled prompt ${id}`, error);
      }
    }
  }

  async #lookAt(item: StoredSchedule, now: number): Promise<void> {
    if (item.state === "delivering") await this.#continue(item, now);
    else if (item.state === "queued" && item.paused !== true && this.#isDue(item, now)) await this.#start(item, now);
  }

  #isDue(item: StoredSchedule, now: number): boolean {
    if (item.when !== "reset" || item.due_at !== undefined) return (dueAt(item, now) ?? Infinity) <= now;
    const { places, nextReset } = this.#parts;
    const { at, of } = nextReset(item.agent, undefined, now);
    const turn = at === undefined ? undefined : takeTurn(places.home, of, at);
    if (turn !== undefined) this.#put({ ...item, due_at: new Date(turn).toISOString() });
    return false;
  }

  async #start(item: StoredSchedule, now: number): Promise<void> {
    const when = storedWhen(item.when);
    const taken = { taken: item.slot, since: Date.parse(item.created_at) };
    const slot = when.kind === "every" ? slotOf(when, taken, now).day : undefined;
    const begun = { ...item, ...optional("slot", slot) };
    const sessions = [...(item.sessions ?? []), ...(item.session === undefined ? [] : [item.session])].filter((id) =>
      isLockHeld(sessionFiles(this.#parts.places, id).lock),
    );
    if (sessions.length >= MAX_RUNNING)
      return this.#notStarted(begun, `${sessions.length} sessions of this prompt still run. End some of them.`);
    const named: StoredSchedule = { ...begun, state: "delivering", session: newSessionId(), sessions };
    this.#put(named);
    await this.#continue(named, now);
  }

  /** Each step is done once, however often this begins anew. */
  async #continue(item: StoredSchedule, now: number): Promise<void> {
    const { text, agent, cwd, session = newSessionId() } = item;
    const files = sessionFiles(this.#parts.places, session);
    if (!existsSync(files.queue)) {
      ensurePrivateDirectory(files.directory);
      // With an id of its own: the schedule goes on when this one is delivered.
      writeQueue(files.queue, { items: [newPrompt({ text }, now)] });
    }
    try {
      if (!existsSync(files.meta)) await this.#parts.launch({ agent, cwd }, session);
    } catch (error) {
      // Another daemon started it and was killed before it noted that. The next look decides about one that is starting.
      if (!existsSync(files.meta)) {
        if (isLockHeld(files.lock)) return;
        rmSync(files.directory, { recursive: true, force: true });
        return this.#notStarted(item, errorText(error));
      }
    }
    const { note: _, held_at: __, ...rest } = item;
    const state = repeats(item) ? "queued" : "delivered";
    this.#put({ ...rest, session, state, delivered_at: new Date(now).toISOString() });
  }

  /** One that repeats has a next date: what failed may be repaired by then. */
  #notStarted(item: StoredSchedule, why: string): void {
    const note = truncate(`Not started${item.slot === undefined ? "" : ` on ${item.slot}`}: ${why}`, MAX_NOTE);
    const held_at = new Date().toISOString();
    this.#put(repeats(item) ? { ...item, state: "queued", note } : { ...item, state: "held", held_at, note });
  }

  #put(item: StoredSchedule): void {
    this.#write(replaced({ items: this.#read() }, item.id, () => item).items as StoredSchedule[]);
  }

  #read(): StoredSchedule[] {
    return readSchedule(this.#parts.places.home);
  }

  #write(items: readonly StoredSchedule[]): void {
    writeSchedule(this.#parts.places.home, items);
  }
}

function repeats({ when }: StoredSchedule): boolean {
  return storedWhen(when).kind === "every";
}
