/**
 * Sessions in separate processes: spawn, connect, disconnect, list, kill. The command line, terminal interface and daemon use it;
 * a session needs none of them.
 */
import { missingDirectory, silentDirectory } from "./missing-directory.ts";
import { ANSWERING, type AnsweringDirectories } from "../lib/fs/answering-directories.ts";
import { existsSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { asObject, type Json } from "../lib/json/fields.ts";
import { findOnPath, requireOnPath } from "../lib/process/find-on-path.ts";
import { optional } from "../lib/values/optional.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { isLockHeld } from "../lib/process/process-lock.ts";
import { socketAnswers } from "../lib/process/socket-probe.ts";
import { FOLLOWED_VARIABLE, launchSpec, type LaunchSpec, type LaunchSpecInput } from "../protocol/launch-spec.ts";
import {
  sessionFiles,
  socketDirectory,
  type SessionFiles,
  type SessionDirectories,
} from "../protocol/session-files.ts";
import { isSessionId, newSessionId } from "../protocol/session-id.ts";
import { slugFor } from "../protocol/slug.ts";
import { endFromOutside, continueProcess } from "./end-runner.ts";
import { listLive, removeOrphans } from "./live-sockets.ts";
import { openShimConnection, type ConnectOptions } from "./open-shim-connection.ts";
import type { RunnerAnswer, RunnerRequest } from "./runner-http.ts";
import { bundledRunner, startRunner } from "./runner-process.ts";
import { storedMeta } from "./stored-meta.ts";
import { sessionName } from "./session-name.ts";
import { claimSlug, isClaimed } from "./slug-claim.ts";
import type { ShimConnection } from "./shim-connection.ts";
import { answeringWorkspace } from "./workspace.ts";

/** A program gets two seconds after SIGHUP; then its runner says goodbye to its clients. */
const KILL_WITHIN_MS = 10_000;

/** A runner exits within milliseconds. */
const POLL_MS = 10;

type Variables = Readonly<Record<string, string | undefined>>;

export interface ShimClientOptions extends SessionDirectories {
  /** Path of the runner bundle; this build's by default. */
  runner?: string;
  /** Environment of the session's programs; this process's by default. */
  env?: Variables;
  answering?: AnsweringDirectories;
}

export type SpawnRequest = Omit<LaunchSpecInput, "id" | "created_at"> & { id?: string; created_at?: string };

export class ShimClient {
  private readonly options: ShimClientOptions;
  private readonly connections = new Map<string, ShimConnection>();

  constructor(options: ShimClientOptions) {
    this.options = options;
  }

  files(sessionId: string): SessionFiles {
    if (!isSessionId(sessionId)) throw new AgentMuxError("VALIDATION_ERROR", `"${sessionId}" is not a session id.`);
    return sessionFiles(this.options, sessionId);
  }

  /**
   * Starts a session and returns its id once it runs. A given id is reused, as for a resume. If it is followed, its output is held
   * until the caller attaches with `whole`.
   */
  async spawn(request: SpawnRequest, { isFollowed = false } = {}): Promise<string> {
    const { id = newSessionId(), created_at = new Date().toISOString(), name = "", slug, ...rest } = request;
    const asked = optional("slug", slug !== undefined && isClaimed(this.options, slug, id) ? undefined : slug);
    const named = { ...optional("name", sessionName(name) || undefined), ...asked };
    const cwd = resolve(rest.cwd);
    const answering = this.options.answering ?? ANSWERING;
    if (!(await answering.has(cwd))) throw new AgentMuxError("SPAWN_ERROR", silentDirectory(cwd));
    const spec = checkedSpec({ ...(await answeringWorkspace(cwd, answering)), ...rest, id, created_at, ...named });
    const files = this.files(spec.id);
    const env = this.environment();
    checkStartable(spec, env);
    await this.makeRoom(spec.id, files);
    makeDirectories(this.options.home, files.directory);
    try {
      const given_slug = spec.slug === undefined ? claimSlug(this.options, slug ?? slugFor(spec), id) : undefined;
      writeFileAtomic(files.launch, `${JSON.stringify({ ...spec, given_slug }, undefined, 2)}\n`);
      const followed = isFollowed ? { [FOLLOWED_VARIABLE]: "1" } : {};
      await startRunner(this.options.runner ?? bundledRunner(), spec.id, { ...env, ...followed });
    } catch (error) {
      // Without this file it never ran: nothing would list or remove it.
      if (!existsSync(files.meta)) rmSync(files.directory, { recursive: true, force: true });
      throw error;
    }
    return spec.id;
  }

  /** One connection per session and client; a second call returns the same one. */
  async connect(sessionId: string, options: ConnectOptions = {}): Promise<ShimConnection> {
    const open = this.connections.get(sessionId);
    if (open !== undefined && !open.closed) return open;
    const connection = await openShimConnection(this.files(sessionId).socket, options);
    this.connections.set(sessionId, connection);
    connection.subscribe((event) => {
      // Only our own entry: a newer connection may have replaced it.
      if (event._tag === "closed" && this.connections.get(sessionId) === connection) this.connections.delete(sessionId);
    });
    return connection;
  }

  /** The session continues in the background. */
  disconnect(sessionId: string): void {
    this.connections.get(sessionId)?.close();
    this.connections.delete(sessionId);
  }

  /** Ids of the running sessions. */
  list(): Promise<string[]> {
    return listLive(this.options);
  }

  /** Resolves when the session's programs are gone. A session that does not run is no error. */
  async kill(sessionId: string): Promise<void> {
    const { socket, lock, meta } = this.files(sessionId);
    continueProcess(lock);
    try {
      await askRunner(socket, {
        method: "POST",
        path: "/kill",
        timeoutMs: KILL_WITHIN_MS,
      });
    } catch (error) {
      const isMute = error instanceof AgentMuxError && error.code === "TIMEOUT";
      if (!isMute && (await socketAnswers(socket))) throw error;
      // It was about to exit, or never existed.
      if (!isMute && storedMeta(meta)?.alive !== true) return;
      await endFromOutside(lock, isMute);
    }
  }

  /** Resolves when the session's process has exited and written its final state; at once if there is none. */
  async ended(sessionId: string): Promise<void> {
    const { lock } = this.files(sessionId);
    const deadline = performance.now() + KILL_WITHIN_MS;
    while (isLockHeld(lock) && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Removes what dead processes left behind; call it at startup. */
  removeOrphans(): Promise<string[]> {
    return removeOrphans(this.options);
  }

  /** Disconnects from every session; all of them continue. */
  close(): void {
    for (const sessionId of this.connections.keys()) this.disconnect(sessionId);
  }

  /** An ended session may still wait for somebody to read its end; it yields to its successor. */
  private async makeRoom(sessionId: string, { socket, lock }: SessionFiles): Promise<void> {
    const deadline = performance.now() + KILL_WITHIN_MS;
    // A runner that is starting or exiting does not answer but holds the lock.
    while (isLockHeld(lock) && performance.now() < deadline) {
      if (await socketAnswers(socket)) await this.refuseIfRunning(sessionId, socket);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  private async refuseIfRunning(sessionId: string, socket: string): Promise<void> {
    const meta = await metaUnlessExiting(socket);
    if (meta === undefined) return;
    if (meta["alive"] !== false) {
      throw new AgentMuxError("INVALID_STATE_TRANSITION", `Session ${sessionId} is already running.`);
    }
    await this.kill(sessionId);
  }

  private environment(): Variables {
    const { home, socketDirectory: sockets, env = process.env } = this.options;
    // The runner computes its paths from these, wherever this process got them from.
    return { ...env, AMUX_HOME: home, AMUX_SOCKET_DIR: sockets ?? socketDirectory(this.options) };
  }
}

/** HTTP is loaded on demand: starting a session needs none. */
async function askRunner(socket: string, ask: RunnerRequest): Promise<RunnerAnswer> {
  return (await import("./runner-http.ts")).askRunner(socket, ask);
}

/** Undefined if the runner hangs up. One that does not answer is an error. */
async function metaUnlessExiting(socket: string): Promise<Json | undefined> {
  try {
    const { body } = await askRunner(socket, { method: "GET", path: "/meta" });
    return asObject(JSON.parse(body.toString("utf8"))) ?? {};
  } catch (error) {
    const hungUp = error instanceof AgentMuxError && ["SESSION_NOT_FOUND", "INTERNAL"].includes(error.code);
    if (!hungUp) throw error;
    return undefined;
  }
}

function makeDirectories(...paths: readonly string[]): void {
  try {
    for (const path of paths) ensurePrivateDirectory(path);
  } catch (error) {
    throw new AgentMuxError("SPAWN_ERROR", `The session cannot be started: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function checkedSpec(input: LaunchSpecInput): LaunchSpec {
  try {
    return launchSpec(input);
  } catch (error) {
    throw new AgentMuxError("VALIDATION_ERROR", `The session cannot be started: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Reports a program that cannot start here; in the terminal it would be a line and an exit code. */
function checkStartable(spec: LaunchSpec, env: Variables): void {
  const [program = ""] = spec.command;
  if (statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new AgentMuxError("SPAWN_ERROR", missingDirectory(spec.cwd));
  }
  if (program.includes("/")) {
    if (findOnPath(resolve(spec.cwd, program), env) !== undefined) return;
    throw new AgentMuxError("COMMAND_NOT_FOUND", `${program} cannot be run: it is not an executable file.`);
  }
  requireOnPath(program, { ...env, ...spec.env });
}
