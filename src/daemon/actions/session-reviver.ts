/**
 * Revives ended sessions under their own id. The store changes only when the new runner registers; concurrent requests share one
 * resume.
 */
import type { SpawnRequest } from "../../client/shim-client.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Started } from "../../protocol/daemon-api.ts";
import type { Register } from "../live/register.ts";
import { Problem } from "../problem.ts";
import { commandOf } from "../store/derived-fields.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { SessionStore } from "../store/store.ts";
import type { Dismissed } from "./dismissed.ts";
import type { SessionEnder } from "./end-sessions.ts";
import type { Launcher } from "./launcher.ts";

export class SessionReviver {
  readonly #store: SessionStore;
  readonly #register: Register;
  readonly #launcher: Pick<Launcher, "start" | "checkDirectory">;
  readonly #ends: SessionEnder;
  readonly #dismissed: Dismissed;
  readonly #pending = new Map<string, Promise<Started>>();

  constructor(
    store: SessionStore,
    register: Register,
    launcher: Pick<Launcher, "start" | "checkDirectory">,
    ends: SessionEnder,
    dismissed: Dismissed,
  ) {
    this.#store = store;
    this.#register = register;
    this.#launcher = launcher;
    this.#ends = ends;
    this.#dismissed = dismissed;
  }

  /** A running session is returned as it is. */
  resume(id: string): Promise<Started> {
    return this.#once(id, () => this.#resume(id));
  }

  /** Ends the session first if it runs. */
  restart(id: string): Promise<Started> {
    return this.#once(id, async () => {
      const record = this.#store.record(id);
      if (record?.alive === true) {
        // A session that could not start again is not ended.
        await this.#launcher.checkDirectory(record.cwd);
        await this.#ends.endNow(id);
      }
      return this.#resume(id);
    });
  }

  #once(id: string, start: () => Promise<Started>): Promise<Started> {
    const pending = this.#pending.get(id) ?? this.#ends.turns.take(id, start).finally(() => this.#pending.delete(id));
    this.#pending.set(id, pending);
    return pending;
  }

  async #resume(id: string): Promise<Started> {
    // The socket is more current than the store: a terminal may have started it just now.
    if (this.#store.record(id)?.alive !== true) await this.#register.register(id);
    const record = this.#store.record(id);
    if (record === undefined) throw new Problem("not_found", `There is no session ${id}.`);
    if (record.alive) return { session_id: id, pid: record.pid ?? 0 };
    const command = commandOf(record);
    if (command.length === 0) throw new Problem("not_resumable", "The session has no command to start again.");
    const started = await this.#launcher.start({ ...specOf(record), command: [...command] });
    this.#dismissed.forget(record);
    const isGuess = record.resume_command !== undefined && record.conversation?.how === "guessed";
    return isGuess ? { ...started, guessed: true } : started;
  }
}

/** What the session keeps from before. */
function specOf(record: Readonly<SessionRecord>): Omit<SpawnRequest, "command"> {
  const { id, created_at, kind, cwd, name, wanted_slug, resume_key, adapter_title } = record;
  return {
    id,
    created_at,
    kind,
    cwd,
    ...optional("name", name),
    ...optional("slug", wanted_slug),
    ...optional("resume_key", resume_key),
    ...optional("adapter_title", adapter_title),
    ...optional("cols", record.terminal_cols),
    ...optional("rows", record.terminal_rows),
    ...optional("record", record.recorded),
  };
}
