/**
 * Pushes to the archive as often as `amux archive push --every` said. The push is a command of its own: it reads other
 * programs' files and talks to a database, and can be ended without the daemon.
 */
import { askProgram, ProgramFailed } from "../../lib/process/ask-program.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { outsideEnv } from "../../lib/process/outside-env.ts";
import {
  readPushOutcome,
  readPushSchedule,
  writePushOutcome,
  type PushOutcome,
} from "../../lib/values/push-schedule.ts";
import { builtFile } from "./built-file.ts";
import type { Log } from "./log.ts";

/** The first push of a large history takes minutes. */
const LIMIT_MS = 2 * 3_600_000;

export class ScheduledPush {
  readonly #home: string;
  readonly #log: Log;
  #isBusy = false;

  constructor(home: string, log: Log) {
    this.#home = home;
    this.#log = log;
  }

  /** To be called every minute or so. */
  async look(now = Date.now()): Promise<void> {
    const schedule = readPushSchedule(this.#home);
    if (schedule === undefined || this.#isBusy) return;
    const last = readPushOutcome(this.#home)?.at.getTime();
    // A clock that was set back must not put the next push off for days.
    if (last !== undefined && last <= now && now - last < schedule.everyMs) return;
    this.#isBusy = true;
    try {
      const outcome = await this.#push(schedule.options);
      this.#log.write(outcome.ok ? "info" : "warn", "archive push", { ok: outcome.ok, said: outcome.said });
      // Somebody may have changed the schedule meanwhile; then this is no longer its outcome.
      if (readPushSchedule(this.#home)?.everyMs === schedule.everyMs) writePushOutcome(this.#home, outcome);
    } finally {
      this.#isBusy = false;
    }
  }

  async #push(options: readonly string[]): Promise<PushOutcome> {
    try {
      const said = await askProgram(process.execPath, {
        args: [builtFile("amux.cjs"), "archive", "push", ...options],
        cwd: this.#home,
        // Only the address that was kept: nobody knows what the daemon was started with.
        env: outsideEnv(),
        timeoutMs: LIMIT_MS,
      });
      return { at: new Date(), ok: true, said: said.trim() };
    } catch (error) {
      const why = error instanceof ProgramFailed && error.stderr !== "" ? error.stderr : errorText(error);
      return { at: new Date(), ok: false, said: why.trim() };
    }
  }
}
