/** A session with its socket, files and clients, from the first program to the last byte. */
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import type { LaunchSpec } from "../protocol/launch-spec.ts";
import { recordingFile } from "../protocol/recording.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { recordFile, type SessionFiles, RESERVE_FILE } from "../protocol/session-files.ts";
import { statusDirectory } from "../status/status-directory.ts";
import { StatusStore } from "../status/status-store.ts";
import { childEnvironment } from "./child-env.ts";
import { followDraft } from "./follow-draft.ts";
import { FrameSession } from "./frame-session.ts";
import type { HttpApi } from "./http-api.ts";
import { IdleCollector } from "./idle-collector.ts";
import { OutputRecording } from "./output-recording.ts";
import type { PtyExit } from "./pty.ts";
import type { RunnerLog } from "./runner-log.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { ScreenRecord } from "./screen-record.ts";
import { MetaFile, sessionMeta, type RunnerIdentity } from "./session-meta.ts";
import { Session, type SessionListener } from "./session.ts";
import { SessionStatusFile } from "./session-status-file.ts";
import { SocketServer, type SocketPaths } from "./socket-server.ts";
import type { Terminal } from "./terminal.ts";

/** A program may end before its starter has connected; an unseen session waits this long. */
const LINGER_MS = 3000;

/** The same if the starter needs all output. On a busy machine it may take long to connect. */
const AWAIT_FOLLOWER_MS = 60_000;

/** Time for clients to receive the last bytes. */
const FLUSH_MS = 2000;

export class Runner implements SessionListener {
  /** Resolves when the session is over and every client knows. */
  readonly finished: Promise<void>;
  private readonly files: SessionFiles;
  private readonly identity: RunnerIdentity;
  private readonly log: RunnerLog;
  private readonly session: Session;
  private readonly server: SocketServer;
  private readonly meta: MetaFile;
  private readonly reserve: DiskReserve;
  private readonly records = new Map<Terminal, ScreenRecord>();
  private recording: OutputRecording | undefined;
  private readonly connections = new Set<FrameSession>();
  private readonly collector = new IdleCollector(() =>
    [...this.session.terminals.values()].every((terminal) => terminal.isCalm),
  );
  private resolveFinished: () => void = () => undefined;
  private api: Promise<HttpApi> | undefined;
  private seen = false;
  private lingerMs = LINGER_MS;
  private whenSeen: () => void = () => undefined;
  private readonly killWanted: Promise<void>;
  private wantKill: () => void = () => undefined;

  constructor(spec: LaunchSpec, files: SessionFiles, identity: RunnerIdentity, log: RunnerLog, place: SocketPaths) {
    this.files = files;
    this.identity = identity;
    this.log = log;
    this.finished = new Promise((resolve) => (this.resolveFinished = resolve));
    this.killWanted = new Promise((resolve) => (this.wantKill = resolve));
    const onFailure = (error: unknown): void => log.write("failure", error);
    const env = childEnvironment(process.env, spec.env, { sessionId: spec.id, ...identity });
    this.session = new Session(spec, env, this, onFailure);
    followDraft(this.session);
    new SessionStatusFile(this.session, new StatusStore(statusDirectory(processEnv())), onFailure).follow();
    this.reserve = new DiskReserve(join(files.directory, RESERVE_FILE));
    this.meta = new MetaFile(files.meta, () => this.currentMeta(), onFailure);
    const handlers = {
      frames: (socket: Socket, first: Buffer | undefined) => this.welcome(socket, first, env),
      http: (socket: Socket) => void this.loadApi().then((api) => api.serve(socket)),
    };
    this.server = new SocketServer(files.socket, handlers, onFailure, place);
  }

  /** The socket exists before the program, for hooks that fire at once. If it is followed, output waits for the starter. */
  async start(isFollowed: boolean): Promise<void> {
    await this.server.listen();
    const { command, argv = command, cwd, cols, rows } = this.session.spec;
    const terminal = this.session.create({ command: argv, cwd, cols, rows });
    if (isFollowed) {
      this.lingerMs = AWAIT_FOLLOWER_MS;
      terminal.awaitViewer(AWAIT_FOLLOWER_MS);
    }
    this.meta.write();
    this.reserve.hold();
    if (existsSync(this.files.queue)) await this.loadQueue();
  }

  /** Before the first request: it may have been left in the middle. */
  private async loadQueue(): Promise<void> {
    try {
      (await this.loadApi()).prompts();
    } catch (error) {
      this.log.write("queue", error);
    }
  }

  /** A recording of an earlier start counts, too. */
  private currentMeta(): SessionMeta {
    return sessionMeta(this.session, this.identity, existsSync(recordingFile(this.files.directory)));
  }

  /** On a signal. */
  async kill(): Promise<void> {
    (await this.api)?.signalled();
    await this.session.kill();
  }

  onCreated(terminal: Terminal, requestId?: string): void {
    const path = recordFile(this.files.directory, terminal.id);
    const onFailure = (error: unknown): void => this.log.write("record", error);
    const record = new ScreenRecord(terminal, path, this.session.spec.history_lines, onFailure, this.reserve);
    this.records.set(terminal, record);
    terminal.record = record;
    this.recordMain(terminal);
    for (const connection of this.connections) connection.created(terminal, requestId);
    this.meta.touch();
  }

  /** Of other terminals nothing is left after them. */
  private recordMain(terminal: Terminal): void {
    if (this.session.spec.record !== true || terminal !== this.session.main) return;
    const onFailure = (error: unknown): void => this.log.write("recording", error);
    this.recording = new OutputRecording(recordingFile(this.files.directory), terminal, onFailure);
    terminal.recording = this.recording;
  }

  onTerminalExit(terminal: Terminal, exit: PtyExit): void {
    this.records.get(terminal)?.close();
    this.records.delete(terminal);
    terminal.record = undefined;
    if (terminal.recording !== undefined) this.recording?.close();
    // After the final state is in the file.
    queueMicrotask(() => this.connections.forEach((connection) => connection.exited(terminal, exit)));
    this.meta.touch();
  }

  onChange(): void {
    this.meta.touch();
  }

  onViewer(): void {
    this.stopLingering();
  }

  /** An ended session that lingers must go at once. */
  onKill(): void {
    this.wantKill();
    this.stopLingering();
  }

  onOutput(terminal: Terminal): void {
    this.records.get(terminal)?.touch();
  }

  onCalm(terminal: Terminal): void {
    this.records.get(terminal)?.calm();
    this.server.look();
    this.collector.calm();
  }

  onResize(terminal: Terminal): void {
    this.records.get(terminal)?.resized();
    if (terminal.recording !== undefined) this.recording?.resized(terminal);
    this.meta.touch();
  }

  onEnd(): void {
    this.reserve.giveUp();
    this.meta.close();
    this.end().catch((error: unknown) => this.log.write("end", error));
  }

  /** HTTP is loaded with the first request: a session that is only attached to never pays for it. */
  private loadApi(): Promise<HttpApi> {
    const onFailure = (error: unknown): void => this.log.write("failure", error);
    this.api ??= import("./http-api.ts").then(({ HttpApi }) => {
      const meta = (): SessionMeta => this.currentMeta();
      const save = (): unknown => this.meta.write();
      const { incarnation } = this.identity;
      const home = amuxHome(processEnv());
      return new HttpApi({
        session: this.session,
        incarnation,
        home,
        queuePath: this.files.queue,
        meta,
        save,
        onFailure,
      });
    });
    return this.api;
  }

  private welcome(socket: Socket, first: Buffer | undefined, env: Readonly<Record<string, string>>): void {
    const shell = [env["SHELL"] ?? "/bin/sh"];
    const connection = new FrameSession(socket, this.session, this.identity.incarnation, shell);
    this.connections.add(connection);
    socket.once("close", () => this.connections.delete(connection));
    if (first === undefined) connection.greetAsPublished();
    else connection.hear(first);
  }

  private async end(): Promise<void> {
    const { killed } = this.session;
    // Clients hear of the exit before they are left.
    await (this.seen ? undefined : this.waitToBeSeen());
    await Promise.race([this.killWanted, Promise.all([...this.connections].map((one) => one.delivered()))]);
    // No new clients from here on: they would be cut off while the others are served.
    this.meta.close();
    this.server.close();
    for (const connection of this.connections) connection.end(killed ? "killed" : "ended");
    const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
    await Promise.race([late, this.api?.then((api) => api.close())]);
    await this.server.flushed(FLUSH_MS);
    this.session.state.close();
    this.collector.stop();
    for (const terminal of this.session.terminals.values()) terminal.dispose();
    this.resolveFinished();
  }

  private stopLingering(): void {
    this.seen = true;
    this.whenSeen();
  }

  private async waitToBeSeen(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.lingerMs);
      this.whenSeen = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
