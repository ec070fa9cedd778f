/** Compares the world with the model: the list, the contents, and leftovers. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { startTimeOf } from "../../../src/lib/process/processes.ts";
import { recordFile } from "../../../src/protocol/session-files.ts";
import type { TestDaemon } from "../../daemon/support/test-daemon.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Model, ModelSession } from "./model.ts";
import { Remains } from "./leftovers.ts";
import { linesIn } from "./line-program.ts";
import { DEADLINE_MS } from "../../support/deadline.ts";

/** Time for a process to exit on a busy machine. */
const LEAVING_MS = DEADLINE_MS;

export class Judge {
  readonly #daemon: TestDaemon;
  readonly #model: Model;
  readonly #remains: Remains;
  /** Records of ended sessions already read; a changed one is read again. */
  readonly #read = new Map<string, string>();

  constructor(daemon: TestDaemon, model: Model) {
    this.#daemon = daemon;
    this.#model = model;
    this.#remains = new Remains(daemon, model);
  }

  /** Waits until the daemon's list equals the model: every session once, running or ended as expected. */
  async settle(): Promise<void> {
    let seen = "";
    await waitFor("the daemon to know", async () => {
      const rows = await this.#daemon.sessions();
      seen = JSON.stringify(rows.map(({ id, alive, exit_code }) => ({ id, alive, exit_code })));
      const known = new Set(this.#model.sessions.map(({ id }) => id));
      if (rows.some(({ id }) => !known.has(id))) return false;
      return this.#model.sessions.every(({ id, fate, exitCode }) => {
        const [row, ...doubles] = rows.filter((each) => each.id === id);
        if (fate === "dismissed") return row === undefined;
        if (row === undefined || doubles.length > 0 || row.alive !== (fate === "running")) return false;
        return fate !== "ended" || row.exit_code === exitCode;
      });
    }).catch((error: unknown) => {
      const model = this.#model.sessions.map(({ id, fate, exitCode }) => ({ id, fate, exitCode }));
      throw new Error(`The model says ${JSON.stringify(model)}; the daemon ${seen}.`, { cause: error });
    });
  }

  /** Checks that every line is in the record, those of `asked` also in the daemon's answer, and that nothing is left over. */
  async check(asked: readonly ModelSession[], ours: ReadonlySet<number>): Promise<void> {
    for (const session of this.#model.sessions) {
      if (session.fate === "dismissed") await this.#checkGone(session);
      else if (session.fate === "running")
        await this.#checkRunning(session, session.still === undefined && asked.includes(session));
      else await this.#checkDead(session);
    }
    this.#remains.look(ours);
    const left = this.#remains.olderThan(LEAVING_MS);
    if (left.length > 0) throw new Error(`Left over: ${left.join("; ")}.`);
  }

  /** After the end only records may be left. */
  async leftovers(): Promise<string[]> {
    let left: string[] = [];
    await waitFor("the last ones to leave", () => (left = this.#remains.look(new Set())).length === 0).catch(
      () => undefined,
    );
    return left;
  }

  async text({ id, fate }: ModelSession): Promise<string> {
    const path = `/v1/sessions/${id}/${fate === "running" ? "text" : "scrollback"}?lines=10000`;
    return waitFor(path, async () => {
      const { status, text } = await this.#daemon.ask("GET", path);
      return status === 200 ? text : undefined;
    });
  }

  isGone(pid: number): boolean {
    return startTimeOf(pid) === undefined;
  }

  async #checkGone(session: ModelSession): Promise<void> {
    const { directory } = this.#daemon.shim.files(session.id);
    await waitFor(`${directory} to go`, () => !existsSync(directory));
  }

  /** A running session's record is what a kill at this moment would leave. */
  async #checkRunning(session: ModelSession, isAsked: boolean): Promise<void> {
    const recorded = this.#model.problemWithRecord(session, linesIn(this.#record(session)));
    if (recorded === undefined) session.unrecorded = 0;
    if (recorded !== undefined && session.unrecorded === 0)
      throw new Error(`The record of ${session.id}: ${recorded}.`);
    if (isAsked) await this.#checkScreen(session);
  }

  async #checkDead(session: ModelSession): Promise<void> {
    const stat = statSync(this.#path(session), { throwIfNoEntry: false });
    const version = `${session.pid} ${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`;
    if (this.#read.get(session.id) === version) return;
    const found = linesIn(this.#record(session));
    const problem = this.#model.problemWithRecord(session, found);
    if (problem !== undefined) throw new Error(`The record of ${session.id} (${session.fate}): ${problem}.`);
    session.lines = found;
    session.maybe = [];
    if (found.length > 0) await this.#checkScreen(session);
    this.#read.set(session.id, version);
  }

  async #checkScreen(session: ModelSession): Promise<void> {
    const problem = this.#model.problemWith(session, linesIn(await this.text(session)));
    if (problem !== undefined) throw new Error(`The screen of ${session.id} (${session.fate}): ${problem}.`);
  }

  /** A program without output has none. */
  #record(session: ModelSession): string {
    return existsSync(this.#path(session)) ? readFileSync(this.#path(session), "latin1") : "";
  }

  #path({ id }: ModelSession): string {
    return recordFile(this.#daemon.shim.files(id).directory, "pty-1");
  }
}
