/** The process of one session: `runShim(id)` reads the launch file from the session's directory and runs it. */
import { closeSync, existsSync, writeSync } from "node:fs";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { acquireLock, type ProcessLock } from "../lib/process/process-lock.ts";
import { socketAnswers } from "../lib/process/socket-probe.ts";
import { amuxHome, directoryFrom, processEnv } from "../lib/fs/paths.ts";
import { errorText } from "../lib/text/error-text.ts";
import { FOLLOWED_VARIABLE, launchSpec, READY_FD_VARIABLE } from "../protocol/launch-spec.ts";
import { sessionFiles, socketDirectory, type SessionFiles } from "../protocol/session-files.ts";
import { isSessionId, newIncarnation } from "../protocol/session-id.ts";
import { announce } from "./announce.ts";
import { RunnerLog } from "./runner-log.ts";
import { Runner } from "./runner.ts";
import type { RunnerIdentity } from "./session-meta.ts";
import { readText } from "../lib/fs/foreign-file.ts";

declare const AMUX_VERSION: string;
/** Hash of this build's sources: a session with an older one is stale. */
declare const RUNNER_HASH: string;

/** Resolves when the session is over. Rejects if it could not start; the spawner gets the reason. */
export async function runShim(sessionId: string): Promise<void> {
  const ready = new ReadySignal();
  try {
    const runner = await start(sessionId);
    ready.give("");
    announce(amuxHome(processEnv()), sessionId);
    await runner.finished;
  } catch (error) {
    ready.give(errorText(error));
    throw error;
  }
}

/** A cleanup may hold the lock briefly; a running session answers. */
const LOOK_EVERY_MS = 50;
const LOOKS = 40;

async function takeLock({ lock, socket }: SessionFiles): Promise<ProcessLock | undefined> {
  for (let look = 0; ; look++) {
    const taken = acquireLock(lock);
    if (taken !== undefined || look === LOOKS || (await socketAnswers(socket))) return taken;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function start(sessionId: string): Promise<Runner> {
  if (!isSessionId(sessionId)) throw new Error(`"${sessionId}" is not a session id.`);
  const env = processEnv();
  const places = { home: amuxHome(env), socketDirectory: directoryFrom(env, "AMUX_SOCKET_DIR") };
  const files = sessionFiles(places, sessionId);
  // Started by hand for a session that was never launched: nothing is created.
  if (!existsSync(files.launch)) throw new Error(`There is no session ${sessionId} to start.`);
  ensurePrivateDirectory(files.directory);
  ensurePrivateDirectory(socketDirectory(places));
  const spec = launchSpec(JSON.parse(readText(files.launch)));
  const lock = await takeLock(files);
  if (lock === undefined) throw new Error(`Session ${sessionId} is already running.`);
  process.once("exit", () => lock.release());
  const log = new RunnerLog(files.log);
  // The terminals must survive our bugs: errors are logged and the session continues.
  process.on("uncaughtException", (error) => log.write("uncaught", error));
  process.on("unhandledRejection", (error) => log.write("unhandled", error));
  const place = {
    lock: files.lock,
    restore(): boolean {
      // Removed together with the session's directory: it is no longer wanted.
      if (!existsSync(files.directory)) return false;
      ensurePrivateDirectory(socketDirectory(places));
      if (!lock.renew()) throw new Error("Another process has taken the session's lock.");
      return true;
    },
  };
  const runner = new Runner(spec, files, identityOf(files), log, place);
  await runner.start(process.env[FOLLOWED_VARIABLE] !== undefined);
  endOnSignals(runner);
  return runner;
}

function identityOf(files: SessionFiles): RunnerIdentity {
  return { incarnation: newIncarnation(), socket: files.socket, version: AMUX_VERSION, binaryHash: RUNNER_HASH };
}

/** On SIGTERM (machine shutdown) the programs get time to save. SIGHUP is ignored. */
function endOnSignals(runner: Runner): void {
  process.on("SIGHUP", () => undefined);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void runner.kill());
}

/** A descriptor on which the spawner learns that the session runs, or why it does not. */
class ReadySignal {
  private fd: number | undefined;

  constructor() {
    const text = process.env[READY_FD_VARIABLE];
    this.fd = text === undefined ? undefined : Number(text);
    delete process.env[READY_FD_VARIABLE];
  }

  give(failure: string): void {
    if (this.fd === undefined) return;
    const { fd } = this;
    this.fd = undefined;
    try {
      writeSync(fd, JSON.stringify(failure === "" ? { ready: true } : { ready: false, message: failure }));
      closeSync(fd);
    } catch {
      // The spawner is gone already. The session continues without it.
    }
  }
}
