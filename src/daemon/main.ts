/** The daemon process: one per home, on its socket and port. */
import { plugAgents, pluginProblems } from "../agents/plugins.ts";
import { pluginFiles } from "../status/plugin-files.ts";
import { existsSync } from "node:fs";
import type { ChildProcess } from "node:child_process";
import type { Server } from "node:http";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { bundledRunner } from "../client/runner-process.ts";
import { AgentMuxError } from "../core/errors.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { optional } from "../lib/values/optional.ts";
import { amuxHome, directoryFrom, type PathEnv } from "../lib/fs/paths.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { acquireLock, type ProcessLock } from "../lib/process/process-lock.ts";
import { socketAnswers } from "../lib/process/socket-probe.ts";
import type { Health } from "../protocol/daemon-api.ts";
import { daemonFiles, type DaemonFiles } from "../protocol/daemon-files.ts";
import { socketDirectory } from "../protocol/session-files.ts";
import { Daemon } from "./daemon.ts";
import { createApp, type App } from "./http/app.ts";
import { Gate } from "./http/gate.ts";
import { LoginCodes } from "./http/login-codes.ts";
import { Page } from "./http/page.ts";
import { allRoutes } from "./http/routes.ts";
import { proxyTerminal } from "./http/terminal-proxy.ts";
import { Fleet } from "./peers/fleet.ts";
import type { PeerHealth } from "./peers/remote-session.ts";
import { checkAddress, close, hostNames, listenOnPort, listenOnSocket, type OnUpgrade } from "./process/listeners.ts";
import { Log } from "./process/log.ts";
import { loadToken } from "./process/token.ts";
import { SHARED_PATH } from "../protocol/share-links.ts";
import { SharedPage } from "./share/shared-page.ts";
import { startWatchdog } from "./process/watchdog.ts";

declare const AMUX_VERSION: string;

export interface RunOptions {
  env: PathEnv;
  host: string;
  port: number;
  /** Further host names, as in a Host header. */
  hosts: readonly string[];
  /** The history process, if started before this code was loaded. */
  reader?: ChildProcess;
  /** A shutdown was requested; the starter decides what to do. */
  onShutdown(): void;
}

export interface RunningDaemon {
  health(): Health;
  /** Sessions continue without it. */
  close(): Promise<void>;
}

/** Resolves when every running session is known and requests are answered. */
export async function runDaemon(options: RunOptions): Promise<RunningDaemon> {
  checkAddress(options.host);
  const home = amuxHome(options.env);
  const places = { home, socketDirectory: directoryFrom(options.env, "AMUX_SOCKET_DIR") };
  const paths = daemonFiles(home);
  ensurePrivateDirectory(home);
  ensurePrivateDirectory(socketDirectory(places));
  const lock = lockAt(paths.lock);
  // If the lock was removed by hand, the socket still shows a running daemon.
  if (lock === undefined || (await socketAnswers(paths.socket))) {
    lock?.release();
    throw new AgentMuxError("INVALID_STATE_TRANSITION", "The daemon is already running.");
  }
  const log = new Log(paths.log);
  try {
    const { token, env } = takeToken(options.env, paths);
    await plugAgents(pluginFiles(home));
    for (const problem of pluginProblems()) log.write("warn", "plug-in not loaded", { problem });
    const startedAt = new Date().toISOString();
    const isSelf = ({ pid, started_at, hostname: host }: PeerHealth): boolean =>
      pid === process.pid && started_at === startedAt && host === hostname();
    const daemon = new Daemon({
      env,
      places,
      paths,
      runner: bundledRunner(),
      log,
      hosts: options.hosts,
      isSelf,
      reader: options.reader,
    });
    try {
      const servers = await serve(daemon, options, paths, token, log, startedAt);
      log.write("info", "started", { pid: process.pid, version: AMUX_VERSION });
      const watchdog = startWatchdog(log);
      const guard = endWithoutHome(paths, lock, options.onShutdown);
      return {
        health: servers.health,
        close: async () => {
          clearInterval(guard);
          watchdog.close();
          const closing = servers.all.map(close);
          // The server closes only after the connections handed to the relay.
          daemon.relay.close();
          await Promise.all(closing);
          await daemon.close();
          log.write("info", "ended", { pid: process.pid });
          lock.release();
        },
      };
    } catch (error) {
      await daemon.close();
      throw error;
    }
  } catch (error) {
    log.problem("starting", error);
    lock.release();
    throw error;
  }
}

const LOOK_FOR_HOME_MS = 5000;

/** Without its socket it is unreachable: the home was removed, and a new daemon should get the port. */
function endWithoutHome(paths: DaemonFiles, lock: ProcessLock, end: () => void): NodeJS.Timeout {
  return setInterval(() => {
    if (!existsSync(paths.socket) || !holds(lock)) end();
  }, LOOK_FOR_HOME_MS).unref();
}

function holds(lock: ProcessLock): boolean {
  try {
    return lock.renew();
  } catch (error) {
    // Its directory is gone; other errors, such as too many open files, pass.
    return codeOf(error) !== "ENOENT";
  }
}

function lockAt(path: string): ReturnType<typeof acquireLock> {
  try {
    return acquireLock(path);
  } catch (cause) {
    const code = codeOf(cause);
    const why = code === "ENOSPC" || code === "EDQUOT" ? "the disk is full" : code;
    throw new AgentMuxError("SPAWN_ERROR", `The daemon cannot start: ${path} cannot be written (${why}).`, { cause });
  }
}

/** The token may come from the environment but is removed there: children inherit it. */
function takeToken(given: PathEnv, paths: DaemonFiles): { token: string; env: PathEnv } {
  const { AMUX_TOKEN: wanted, ...vars } = given.vars;
  delete process.env["AMUX_TOKEN"];
  return { token: loadToken(paths.token, wanted), env: { ...given, vars } };
}

interface Servers {
  all: Server[];
  health(): Health;
}

async function serve(
  daemon: Daemon,
  options: RunOptions,
  paths: DaemonFiles,
  token: string,
  log: Log,
  startedAt: string,
): Promise<Servers> {
  const { host, port, onShutdown } = options;
  const [address, ...others] = hostNames(host, port);
  const gate = new Gate(token, [address!, ...others, ...options.hosts]);
  const servers: Server[] = [];
  const health = (): Health => ({
    service: "amuxd",
    version: AMUX_VERSION,
    status: "ok",
    pid: process.pid,
    started_at: startedAt,
    hostname: hostname(),
    ...(servers.length > 1 ? { listen: address! } : {}),
    ...(options.hosts.length === 0 ? {} : { hosts: [...options.hosts] }),
    ...optional("runner_hash", daemon.runnerHash),
    sessions: { alive: daemon.store.liveCount, dead: daemon.store.ownSize - daemon.store.liveCount },
  });
  const app = appFor(daemon, gate, health, onShutdown, log);
  const onUpgrade: OnUpgrade = (transport, request, socket, head) => {
    proxyTerminal(
      { store: daemon.store, gate, relay: daemon.relay, peers: daemon.peers },
      transport,
      request,
      socket,
      head,
    );
  };
  await daemon.start();
  servers.push(await listenOnSocket(paths.socket, app, onUpgrade));
  try {
    servers.push(await listenOnPort(host, port, app, onUpgrade));
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    // Commands and the terminal interface need only the socket; `amux daemon status` reports the missing port.
    log.write("warn", "the port is in use", { address });
  }
  return { all: servers, health };
}

function appFor(daemon: Daemon, gate: Gate, health: () => Health, shutDown: () => void, log: Log): App {
  const { login, registry, events, projects, attention } = daemon;
  const page = new Page(webDirectory());
  const shared = new SharedPage(daemon.shares, (what, error) => log.problem(what, error));
  return createApp({
    gate,
    version: AMUX_VERSION,
    peers: daemon.peers,
    routes: allRoutes({
      server: { health, login, registry, events, projects, attention, gate, codes: new LoginCodes(), shutDown },
      daemon,
      fleet: new Fleet(daemon),
      peers: daemon.peers,
    }),
    onFailure: (error, request) => log.problem(`${request.method} ${loggedPath(request.url)}`, error),
    page: (path, request) => page.answer(path, request),
    shared: (request) => shared.answer(request),
  });
}

/** The build puts the page beside the command, or beside its chunks. */
function webDirectory(): string {
  const paths = ["./web", "../web"].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}

/** The path of a share link holds its secret. */
function loggedPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.startsWith(SHARED_PATH) ? `${SHARED_PATH}…` : pathname;
}
