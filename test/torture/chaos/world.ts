/** Real sessions under a real daemon, and the acts that a bad day consists of. Each act brings model and world along. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { openShimConnection } from "../../../src/client/open-shim-connection.ts";
import { askRunner } from "../../../src/client/runner-http.ts";
import type { ShimConnection } from "../../../src/client/shim-connection.ts";
import { recordFile } from "../../../src/protocol/session-files.ts";
import type { SessionMeta } from "../../../src/protocol/runner-api.ts";
import type { TestDaemon } from "../../daemon/support/test-daemon.ts";
import { waitFor } from "../../runner/support/wait-for.ts";
import type { Machine } from "./machine.ts";
import { Model, type ModelSession } from "./model.ts";

/** Answers every line; ends with 7 when told to. */
const PROGRAM = 'while read line; do echo "answer-$line."; [ "$line" = end ] && exit 7; done';

const SIGKILL_CODE = 137;

export class World {
  readonly model = new Model();
  readonly machine: Machine;
  readonly #daemon: TestDaemon;
  #isFull = false;
  readonly #viewers = new Map<string, ShimConnection[]>();

  constructor(machine: Machine) {
    this.machine = machine;
    this.#daemon = machine.daemon;
  }

  async launch(): Promise<void> {
    await this.#learn(await this.#daemon.launch(PROGRAM));
  }

  async #learn(id: string): Promise<void> {
    const { pid, runner_pid: runnerPid } = await this.#meta(id);
    this.model.sessions.push({ id, pid, runnerPid, fate: "running", answered: [], unrecorded: [] });
  }

  async type(session: ModelSession): Promise<void> {
    const line = this.model.nextLine();
    await this.#input(session, `${line}\r`);
    await waitFor(`answer ${line}`, async () => (await this.#text(session)).includes(`answer-${line}.`));
    session.answered.push(line);
    if (this.#isFull || session.unrecorded.length > 0) session.unrecorded.push(line);
  }

  /** A viewer that reads nothing; the session must not mind. */
  async attach(session: ModelSession): Promise<void> {
    const viewer = await openShimConnection(this.#files(session).socket);
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

  async end(session: ModelSession): Promise<void> {
    await this.#input(session, "end\r");
    this.#ended(session, 7);
  }

  killProgram(session: ModelSession): void {
    process.kill(session.pid, "SIGKILL");
    this.#ended(session, SIGKILL_CODE);
  }

  killRunner(session: ModelSession): void {
    process.kill(session.runnerPid, "SIGKILL");
    session.fate = "runner killed";
    session.answered = session.answered.filter((line) => !session.unrecorded.includes(line));
    session.unrecorded = [];
    this.#leave(session);
  }

  async freeze(session: ModelSession, ms: number): Promise<void> {
    process.kill(session.runnerPid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill(session.runnerPid, "SIGCONT");
  }

  removeSocket(session: ModelSession): void {
    rmSync(this.#files(session).socket, { force: true });
  }

  async killDaemon(): Promise<void> {
    await this.#daemon.kill("SIGKILL");
    await this.#daemon.start();
  }

  /** As an upgrade does it: the old one is asked to go, the new one comes. */
  async replaceDaemon(): Promise<void> {
    await this.#daemon.kill("SIGTERM");
    await this.#daemon.start();
  }

  /** What has ended and is of no interest any more leaves the list for good, and so do its files. */
  async dismiss(session: ModelSession): Promise<void> {
    const { ok, text } = await this.#daemon.ask("POST", `/v1/sessions/${session.id}/dismiss`);
    if (!ok) throw new Error(`It could not be dismissed: ${text}`);
    session.fate = "dismissed";
  }

  /** No descriptor is left to the daemon for a while: it may refuse, and must not fall. */
  async starveDaemon(asks: number): Promise<void> {
    await this.machine.withoutDescriptors(this.#daemon.pid, async () => {
      await Promise.allSettled(Array.from({ length: asks }, () => this.#knock()));
    });
  }

  /** The same for a runner, which new viewers then cannot reach; the program inside does not notice. */
  async starveRunner(session: ModelSession): Promise<void> {
    await this.machine.withoutDescriptors(session.runnerPid, async () => {
      const { socket } = this.#files(session);
      const asks = Array.from({ length: 5 }, () => askRunner(socket, { method: "GET", path: "/meta", timeoutMs: 200 }));
      await Promise.allSettled(asks);
    });
  }

  /** Sessions go on; what cannot be started is refused and leaves nothing behind. */
  async fillDisk(sessions: readonly ModelSession[]): Promise<void> {
    await this.machine.withFullDisk(async () => {
      this.#isFull = true;
      for (const session of sessions) await this.type(session);
      const { ok, data } = await this.#daemon.ask<{ session_id: string }>("POST", "/v1/launch", {
        command: ["sh", "-c", PROGRAM],
        cwd: this.#daemon.userHome,
      });
      if (ok) await this.#learn(data.session_id);
    });
    this.#isFull = false;
  }

  /** Back under its own id; what was on its screen before is over. */
  async resume(session: ModelSession): Promise<void> {
    const { ok, text } = await this.#daemon.ask("POST", `/v1/sessions/${session.id}/resume`);
    if (!ok) throw new Error(`It could not be resumed: ${text}`);
    await this.#daemon.until("it to be back", session.id, ({ alive }) => alive);
    const { pid, runner_pid: runnerPid } = await this.#meta(session.id);
    Object.assign(session, { pid, runnerPid, fate: "running", answered: [], unrecorded: [] });
    delete session.exitCode;
  }

  /** Somebody who asks and does not wait for long. */
  async #knock(): Promise<void> {
    await askRunner(this.#daemon.files.socket, { method: "GET", path: "/v1/sessions", timeoutMs: 200 });
  }

  /** Waits until the daemon's answer is the model's: every session once, alive or dead as it must be. */
  async settle(): Promise<void> {
    let seen = "";
    await waitFor("the daemon to know", async () => {
      const rows = await this.#daemon.sessions();
      seen = JSON.stringify(rows.map(({ id, alive, exit_code }) => ({ id, alive, exit_code })));
      const known = new Set(this.model.sessions.map(({ id }) => id));
      if (rows.some(({ id }) => !known.has(id))) return false;
      return this.model.sessions.every(({ id, fate, exitCode }) => {
        const [row, ...doubles] = rows.filter((each) => each.id === id);
        if (fate === "dismissed") return row === undefined;
        if (row === undefined || doubles.length > 0 || row.alive !== (fate === "running")) return false;
        return fate !== "ended" || row.exit_code === exitCode;
      });
    }).catch((error: unknown) => {
      throw new Error(`The model says ${JSON.stringify(this.model.sessions)}; the daemon ${seen}.`, { cause: error });
    });
  }

  /** Every line that was answered is on the screen or in the record, and nobody lives on without a runner. */
  async check(): Promise<void> {
    for (const session of this.model.sessions) {
      if (session.fate === "dismissed") {
        const { directory } = this.#files(session);
        await waitFor(`${directory} to go`, () => !existsSync(directory));
        continue;
      }
      const text = session.fate === "running" ? await this.#text(session) : this.#record(session);
      const lost = session.answered.filter((line) => !text.includes(`answer-${line}.`));
      if (lost.length > 0) throw new Error(`${session.id} (${session.fate}) lost ${lost.join(", ")}.`);
      if (session.fate === "running") {
        const record = session.unrecorded.length > 0 ? this.#record(session) : "";
        if (session.unrecorded.every((line) => record.includes(`answer-${line}.`))) session.unrecorded = [];
        continue;
      }
      await waitFor(`process ${session.pid} to go`, () => !isRunning(session.pid));
    }
  }

  /** After everything ended: runners stay a moment for late viewers, then nothing but records may be left. */
  async leftovers(): Promise<string[]> {
    let left: string[] = [];
    await waitFor("the last runner to leave", () => {
      const names = readdirSync(this.#daemon.home, { recursive: true, encoding: "utf8" });
      left = names.filter((name) => /\.(tmp|sock|lock)$/.test(name) && !name.startsWith("amuxd."));
      return left.length === 0;
    }).catch(() => undefined);
    return left.map((name) => `${name} (${this.model.sessions.find(({ id }) => name.includes(id))?.fate})`);
  }

  async endAll(): Promise<void> {
    for (const session of this.model.of("running")) await this.end(session);
    await this.settle();
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
    const { body } = await askRunner(this.#files({ id }).socket, { method: "GET", path: "/meta" });
    return JSON.parse(body.toString()) as SessionMeta;
  }

  /** By the daemon, as the page would; a socket that was removed comes back within a moment. */
  async #input(session: ModelSession, text: string): Promise<void> {
    await waitFor("the input to be taken", async () => {
      const { ok } = await this.#daemon.ask("POST", `/v1/sessions/${session.id}/input`, Buffer.from(text));
      return ok;
    });
  }

  async #text(session: ModelSession): Promise<string> {
    return waitFor("its text", async () => {
      const { status, text } = await this.#daemon.ask("GET", `/v1/sessions/${session.id}/text?lines=10000`);
      return status === 200 ? text : undefined;
    });
  }

  /** A program that never wrote anything has none. */
  #record(session: ModelSession): string {
    const path = recordFile(this.#files(session).directory, "pty-1");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }
}

function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/^\d+ \(.*\) [ZX]/s.test(readFileSync(path, "latin1"));
}
