/** Real sessions under a real daemon, and everything that may go wrong. Each action updates model and world. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openShimConnection } from "../../../src/client/open-shim-connection.ts";
import { askRunner } from "../../../src/client/runner-http.ts";
import type { ShimConnection } from "../../../src/client/shim-connection.ts";
import type { SessionMeta } from "../../../src/protocol/runner-api.ts";
import type { TestDaemon } from "../../daemon/support/test-daemon.ts";
import { CliTerminal } from "../../runner/support/cli-terminal.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Judge } from "./check-world.ts";
import type { Machine } from "./machine.ts";
import { Model, type ModelSession } from "./model.ts";
import { burst, LAST_LINE, linesIn, taken, witnessProgram } from "./line-program.ts";

const SIGKILL_CODE = 137;

export class World {
  readonly model = new Model();
  readonly machine: Machine;
  readonly judge: Judge;
  readonly #daemon: TestDaemon;
  readonly #witnesses: string;
  readonly #program: string;
  #isFull = false;
  readonly #viewers = new Map<string, ShimConnection[]>();
  readonly #terminals = new Set<CliTerminal>();

  constructor(machine: Machine) {
    this.machine = machine;
    this.#daemon = machine.daemon;
    this.judge = new Judge(machine.daemon, this.model);
    this.#witnesses = join(machine.daemon.root, "witnesses");
    mkdirSync(this.#witnesses);
    this.#program = witnessProgram(this.#witnesses);
  }

  /** Checks everything against the model; `touched` are the sessions of the last action. */
  async check(touched: readonly ModelSession[]): Promise<void> {
    await this.judge.settle();
    await this.judge.check(touched, new Set([...this.#terminals].map(({ pty }) => pty.pid)));
  }

  async launch(): Promise<void> {
    await this.#learn(await this.#daemon.launch(this.#program));
  }

  async type(session: ModelSession): Promise<void> {
    const line = this.model.nextLine();
    await this.#input(session, `${line}\r`);
    await this.#shows(session, `answer-${line}.`);
    this.#wrote(session, [`answer-${line}.`]);
  }

  /** Some kilobytes as fast as possible. */
  async burst(session: ModelSession): Promise<void> {
    const lines = burst(await this.#beginBurst(session));
    await this.#shows(session, lines.at(-1)!);
    this.#wrote(session, lines);
  }

  /** A viewer that reads everything. */
  async attach(session: ModelSession): Promise<void> {
    const viewer = await openShimConnection(this.#files(session).socket);
    viewer.send({ _tag: "attach", ptyId: "pty-1" });
    this.#viewers.set(session.id, [...(this.#viewers.get(session.id) ?? []), viewer]);
  }

  detach(session: ModelSession): void {
    this.#viewers.get(session.id)?.pop()?.close();
  }

  async resize(session: ModelSession, cols: number, rows: number): Promise<void> {
    const viewer = await openShimConnection(this.#files(session).socket);
    viewer.send({ _tag: "resize", ptyId: "pty-1", cols, rows });
    viewer.close();
  }

  /** `amux attach` in its own terminal, killed while it shows the session. */
  async killViewer(session: ModelSession): Promise<void> {
    const { userHome, home } = this.#daemon;
    const terminal = new CliTerminal(["attach", session.id], userHome, undefined, { AMUX_HOME: home });
    this.#terminals.add(terminal);
    await waitFor("the attachment", () => {
      if (terminal.exitCode !== undefined) throw new Error(`amux attach ended: ${terminal.written}`);
      return terminal.written.includes("\x1b[?2026l");
    });
    process.kill(terminal.pty.pid, "SIGKILL");
    await terminal.ended();
    this.#terminals.delete(terminal);
  }

  async end(session: ModelSession): Promise<void> {
    await this.#input(session, "end\r");
    this.#wrote(session, [LAST_LINE]);
    this.#ended(session, 7);
  }

  killProgram(session: ModelSession): void {
    process.kill(session.pid, "SIGKILL");
    this.#ended(session, SIGKILL_CODE);
  }

  /** Every line the terminal took before the kill is kept, and maybe one more. A stopped runner still has all of it to read. */
  async killProgramInBurst(session: ModelSession, after: number, isStill: boolean): Promise<void> {
    const number = await this.#beginBurst(session);
    if (isStill) process.kill(session.runnerPid, "SIGSTOP");
    await waitFor("some of the burst", () => taken(this.#witnesses, number) >= after);
    this.killProgram(session);
    await waitFor("its death", () => this.judge.isGone(session.pid));
    if (isStill) process.kill(session.runnerPid, "SIGCONT");
    const written = taken(this.#witnesses, number);
    this.#wrote(session, burst(number).slice(0, written));
    session.maybe = burst(number).slice(written, written + 1);
  }

  killRunner(session: ModelSession): void {
    process.kill(session.runnerPid, "SIGKILL");
    session.fate = "runner killed";
    session.maybe = session.unrecorded === 0 ? [] : session.lines.splice(-session.unrecorded);
    session.unrecorded = 0;
    this.#leave(session);
  }

  /** What a viewer saw before the kill is in the record, without gaps. */
  async killRunnerInBurst(session: ModelSession, after: number): Promise<void> {
    let seen = "";
    const viewer = await openShimConnection(this.#files(session).socket);
    const over = new Promise<void>((resolve) => {
      viewer.subscribe((event) => {
        if (event._tag === "output") seen += event.data.toString("latin1");
        if (event._tag === "closed") resolve();
      });
    });
    viewer.send({ _tag: "attach", ptyId: "pty-1" });
    const number = await this.#beginBurst(session);
    const isOfBurst = (line: string): boolean => line.startsWith(`b${number}-`);
    await waitFor("the viewer to see it", () => linesIn(seen).filter(isOfBurst).length >= after);
    this.killRunner(session);
    await over;
    const lines = burst(number);
    const shown = linesIn(seen).filter(isOfBurst).length;
    if (session.maybe.length > 0) session.maybe = [...session.maybe, ...lines];
    else {
      this.model.wrote(session, lines.slice(0, shown));
      session.maybe = lines.slice(shown);
    }
  }

  async freeze(session: ModelSession, ms: number): Promise<void> {
    process.kill(session.runnerPid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(session.runnerPid, "SIGCONT");
  }

  /** Meanwhile the program continues until its terminal is full, and the daemon gets no answer. */
  async holdRunner(session: ModelSession, ms: number): Promise<void> {
    const number = await this.#beginBurst(session);
    process.kill(session.runnerPid, "SIGSTOP");
    session.still = { until: performance.now() + ms, burst: number };
    session.maybe = burst(number);
  }

  /** Runners that were stopped long enough continue and have lost nothing. */
  async release(now = performance.now()): Promise<void> {
    for (const session of this.model.of("running")) {
      const { still } = session;
      if (still === undefined || still.until > now) continue;
      process.kill(session.runnerPid, "SIGCONT");
      delete session.still;
      await this.#shows(session, burst(still.burst).at(-1)!);
      session.maybe = [];
      this.#wrote(session, burst(still.burst));
    }
  }

  async freezeDaemon(ms: number): Promise<void> {
    process.kill(this.#daemon.pid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(this.#daemon.pid, "SIGCONT");
  }

  removeSocket(session: ModelSession): void {
    rmSync(this.#files(session).socket, { force: true });
  }

  async killDaemon(): Promise<void> {
    await this.#daemon.kill("SIGKILL");
    await this.#daemon.start();
  }

  /** The old one is asked to exit, and a new one starts. */
  async replaceDaemon(): Promise<void> {
    await this.#daemon.kill("SIGTERM");
    await this.#daemon.start();
  }

  /** Removes an ended session from the list, with its files. */
  async dismiss(session: ModelSession): Promise<void> {
    const { ok, text } = await this.#daemon.ask("POST", `/v1/sessions/${session.id}/dismiss`);
    if (!ok) throw new Error(`It could not be dismissed: ${text}`);
    session.fate = "dismissed";
  }

  /** The daemon gets no descriptors for a while: it may refuse, but not crash. */
  async starveDaemon(asks: number): Promise<void> {
    await this.machine.withoutDescriptors(this.#daemon.pid, async () => {
      await Promise.allSettled(Array.from({ length: asks }, () => this.#knock()));
    });
  }

  /** The same for a runner, which new viewers cannot reach; its program does not notice. */
  async starveRunner(session: ModelSession): Promise<void> {
    await this.machine.withoutDescriptors(session.runnerPid, async () => {
      const { socket } = this.#files(session);
      const asks = Array.from({ length: 5 }, () => askRunner(socket, { method: "GET", path: "/meta", timeoutMs: 200 }));
      await Promise.allSettled(asks);
    });
  }

  /** Sessions continue; a start is refused and leaves nothing behind. */
  async fillDisk(sessions: readonly ModelSession[]): Promise<void> {
    await this.machine.withFullDisk(async () => {
      this.#isFull = true;
      for (const session of sessions) await this.type(session);
      const { ok, data } = await this.#daemon.ask<{ session_id: string }>("POST", "/v1/launch", {
        command: ["sh", "-c", this.#program],
        cwd: this.#daemon.userHome,
      });
      if (ok) await this.#learn(data.session_id);
    });
    this.#isFull = false;
  }

  /** Under the same id, with a new screen. */
  async resume(session: ModelSession): Promise<void> {
    const { ok, text } = await this.#daemon.ask("POST", `/v1/sessions/${session.id}/resume`);
    if (!ok) throw new Error(`It could not be resumed: ${text}`);
    await this.#daemon.until("it to be back", session.id, ({ alive }) => alive);
    const { pid, runner_pid: runnerPid } = await this.#meta(session.id);
    this.model.resumed(session, pid, runnerPid);
  }

  async endAll(): Promise<void> {
    await this.release(Number.POSITIVE_INFINITY);
    for (const session of this.model.of("running")) await this.end(session);
    await this.check([]);
  }

  async #learn(id: string): Promise<void> {
    const { pid, runner_pid: runnerPid } = await this.#meta(id);
    this.model.began(id, pid, runnerPid);
  }

  async #beginBurst(session: ModelSession): Promise<number> {
    const number = this.model.nextLine();
    await this.#input(session, `burst-${number}\r`);
    return number;
  }

  #wrote(session: ModelSession, lines: readonly string[]): void {
    this.model.wrote(session, lines);
    if (this.#isFull || session.unrecorded > 0) session.unrecorded += lines.length;
  }

  #ended(session: ModelSession, exitCode: number): void {
    session.fate = "ended";
    session.exitCode = exitCode;
    this.#leave(session);
  }

  #leave(session: ModelSession): void {
    for (const viewer of this.#viewers.get(session.id) ?? []) viewer.close();
    this.#viewers.delete(session.id);
  }

  #files(session: { id: string }) {
    return this.#daemon.shim.files(session.id);
  }

  async #meta(id: string): Promise<SessionMeta> {
    const ask = { method: "GET", path: "/meta", timeoutMs: 60_000 } as const;
    const { body } = await askRunner(this.#files({ id }).socket, ask);
    return JSON.parse(body.toString()) as SessionMeta;
  }

  /** A client that does not wait long. */
  async #knock(): Promise<void> {
    await askRunner(this.#daemon.files.socket, { method: "GET", path: "/v1/sessions", timeoutMs: 200 });
  }

  /** Through the daemon, like the page; a removed socket comes back soon. */
  async #input(session: ModelSession, text: string): Promise<void> {
    await waitFor("the input to be taken", async () => {
      const { ok } = await this.#daemon.ask("POST", `/v1/sessions/${session.id}/input`, Buffer.from(text));
      return ok;
    });
  }

  async #shows(session: ModelSession, line: string): Promise<void> {
    await waitFor(line, async () => linesIn(await this.judge.text(session)).at(-1) === line);
  }
}
