/**
 * Runs scheduled archive pushes. Each is a separate command: it reads foreign files, talks to a database, and can be ended on its
 * own.
 */
import { askProgram, ProgramFailed } from "../../lib/process/ask-program.ts";
import { errorText } from "../../lib/text/error-text.ts";
import {
  lastPushMs,
  readPushSchedule,
  SCHEDULED_VARIABLE,
  writePushBegun,
  writePushOutcome,
  type PushOutcome,
  type PushSchedule,
} from "../../client/push-schedule.ts";
import { builtFile } from "./built-file.ts";
import type { Log } from "./log.ts";

/** The first push of a large history takes minutes. */
const LIMIT_MS = 2 * 3_600_000;
/** Exit code of a push that withheld something. */
const HELD_BACK = 1;

export class ScheduledPush {
  readonly #home: string;
  readonly #log: Log;
  readonly #program: string;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  /** When the last push began or ended, if that could not be saved. */
  #unwrittenMs: number | undefined;

  constructor(home: string, log: Log, program = builtFile("amux.cjs")) {
    this.#home = home;
    this.#log = log;
    this.#program = program;
  }

  /** Call this about every minute. */
  async look(now = Date.now()): Promise<void> {
    const schedule = readPushSchedule(this.#home);
    if (schedule === undefined || this.#running !== undefined || this.#closing.signal.aborted) return;
    const last = this.#unwrittenMs ?? lastPushMs(this.#home);
    // A clock set back must not delay the next push for days.
    if (last !== undefined && last <= now && now - last < schedule.everyMs) return;
    this.#running = this.#run(schedule, new Date(now));
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  /** A push that outlives its daemon would collide with the next one's. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(schedule: PushSchedule, begun: Date): Promise<void> {
    this.#keep(begun, () => writePushBegun(this.#home, begun));
    const outcome = await this.#push(schedule.options);
    this.#log.write(outcome.ok ? "info" : "warn", "archive push", { ok: outcome.ok, said: outcome.said });
    // If the schedule has changed meanwhile, this is not its outcome.
    if (JSON.stringify(readPushSchedule(this.#home)) !== JSON.stringify(schedule)) return;
    this.#keep(outcome.at, () => writePushOutcome(this.#home, outcome));
  }

  #keep(at: Date, write: () => void): void {
    try {
      write();
      this.#unwrittenMs = undefined;
    } catch (error) {
      this.#unwrittenMs = at.getTime();
      this.#log.problem("saving the outcome of a push", error);
    }
  }

  async #push(options: readonly string[]): Promise<PushOutcome> {
    // Only the saved address: the daemon's own environment is arbitrary.
    const { AMUX_ARCHIVE: _, ...env } = process.env;
    try {
      const said = await askProgram(process.execPath, {
        args: [this.#program, "archive", "push", ...options],
        cwd: this.#home,
        env: { ...env, [SCHEDULED_VARIABLE]: "1" },
        timeoutMs: LIMIT_MS,
        signal: this.#closing.signal,
      });
      return { at: new Date(), ok: true, said: said.trim() };
    } catch (error) {
      if (!this.#closing.signal.aborted) return { at: new Date(), ...whatHappened(error) };
      return { at: new Date(), ok: false, said: "The daemon was stopped; the next push sends the rest." };
    }
  }
}

function whatHappened(error: unknown): Omit<PushOutcome, "at"> {
  if (!(error instanceof ProgramFailed)) return { ok: false, said: errorText(error) };
  const [stdout, stderr] = [error.stdout.trim(), error.stderr.trim()];
  if (error.code === HELD_BACK && stdout !== "") return { ok: true, said: `${stdout} amux archive review says why.` };
  return { ok: false, said: stderr === "" ? error.message : stderr };
}
