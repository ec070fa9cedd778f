/** Starts, replaces and stops the daemon. Runners are never touched: sessions continue. */
import { spawn } from "node:child_process";
import { DaemonApi } from "../client/daemon-api.ts";
import { DaemonClient } from "../client/daemon-client.ts";
import { AgentMuxError } from "../core/errors.ts";
import { optional } from "../lib/values/optional.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { lockHolder } from "../lib/process/process-lock.ts";
import { startTimeOf } from "../lib/process/processes.ts";
import { withoutControls } from "../lib/text/text.ts";
import type { Health } from "../protocol/daemon-api.ts";
import { daemonFiles } from "../protocol/daemon-files.ts";
import { endProcess, hasEnded } from "./end-process.ts";

declare const AMUX_VERSION: string;

/** A freshly booted machine is slow. */
const START_WITHIN_MS = 20_000;
const ANOTHER_WITHIN_MS = 3000;
const END_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** More space for short-lived objects: fewer collections mean fewer pauses. */
export const DAEMON_NODE_FLAGS = ["--max-semi-space-size=32"];

type Variables = Readonly<Record<string, string>>;

export function daemonClient(): DaemonClient {
  return new DaemonClient(amuxHome(processEnv()));
}

/** The daemon's state; starts one if none runs, and replaces an older one. */
export async function ensureDaemon(variables: Variables = {}): Promise<Health> {
  const health = await daemonClient().health();
  if (health === undefined) return startDaemon(variables);
  return isOlder(health.version, AMUX_VERSION) ? restartDaemon(variables) : health;
}

/** In the background. A running daemon is left alone. */
async function startDaemon(variables: Variables): Promise<Health> {
  const client = daemonClient();
  const running = await client.health();
  if (running !== undefined) return running;
  const child = spawn(process.execPath, [...DAEMON_NODE_FLAGS, process.argv[1]!, "daemon"], {
    detached: true,
    // A log on a full disk could not say why.
    stdio: ["ignore", "ignore", "pipe"],
    cwd: "/",
    env: { ...process.env, ...variables },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  let endedAt = Number.POSITIVE_INFINITY;
  for (const end of ["error", "exit"]) child.once(end, () => (endedAt = performance.now()));
  child.unref();
  const { lock, log } = daemonFiles(amuxHome(processEnv()));
  // Another command may have started one first: then ours has ended, and theirs, which has the lock, will answer soon.
  const isHopeless = (): boolean => performance.now() - endedAt > ANOTHER_WITHIN_MS && lockHolder(lock) === undefined;
  const started = await until(
    START_WITHIN_MS,
    async () => (await client.health()) ?? (isHopeless() ? null : undefined),
  );
  child.stderr.destroy();
  if (started) {
    // Our redundant daemon must not wake up later, after the other was stopped on purpose.
    if (started.pid !== child.pid) child.kill();
    else process.stderr.write(said);
    return started;
  }
  const lines = said.trim().split("\n");
  // Notes may come before the error.
  const why = withoutControls((lines.find((line) => line.startsWith("amux: ")) ?? lines[0]!).replace(/^amux: /, ""));
  throw new AgentMuxError("SPAWN_ERROR", `The daemon did not start${why === "" ? `. See ${log}.` : `: ${why}`}`);
}

export interface StoppedDaemon {
  pid: number;
  /** It did not answer or did not exit when asked, and was killed. */
  forced: boolean;
  /** Where it listened and its other host names, if it answered. */
  listen?: string;
  hosts?: string[];
}

/** Undefined if none was running. An unresponsive one is ended by its pid, after a check that it is ours. */
export async function stopDaemon(): Promise<StoppedDaemon | undefined> {
  const client = daemonClient();
  let was: Pick<StoppedDaemon, "listen" | "hosts"> = {};
  try {
    const health = await client.health();
    if (health === undefined) return undefined;
    was = { ...optional("listen", health.listen), ...optional("hosts", health.hosts) };
    const started = startTimeOf(health.pid);
    await new DaemonApi(client).shutDown();
    if (started === undefined || (await hasEnded(health.pid, started, END_WITHIN_MS)))
      return { pid: health.pid, forced: false, ...was };
  } catch (error) {
    if (!(error instanceof AgentMuxError && error.code === "TIMEOUT")) throw error;
  }
  return { pid: await endStuckDaemon(), forced: true, ...was };
}

/** The lock names this home's daemon by pid and start time; only its user can write it. */
async function endStuckDaemon(): Promise<number> {
  const pid = lockHolder(daemonFiles(amuxHome(processEnv())).lock);
  const startTime = pid === undefined ? undefined : startTimeOf(pid);
  if (pid === undefined || startTime === undefined) {
    throw new AgentMuxError("TIMEOUT", "The daemon does not answer, and its lock does not name a running process.");
  }
  if (!(await endProcess(pid, startTime)))
    throw new AgentMuxError("TIMEOUT", `The daemon (process ${pid}) does not answer and cannot be ended.`);
  return pid;
}

/** Keeps the previous address and host names, unless overridden. */
export async function restartDaemon(variables: Variables = {}): Promise<Health> {
  const stopped = await stopDaemon();
  const kept = {
    ...optional("AMUX_LISTEN", process.env["AMUX_LISTEN"] ?? stopped?.listen),
    ...optional("AMUX_HOSTS", process.env["AMUX_HOSTS"] ?? stopped?.hosts?.join(",")),
  };
  return startDaemon({ ...kept, ...variables });
}

async function until<Value>(withinMs: number, look: () => Promise<Value | undefined>): Promise<Value | undefined> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await look();
    if (value !== undefined || performance.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Compares the version numbers; suffixes are ignored. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): number[] => text.split(/[.-]/).slice(0, 3).map(Number);
  const [left, right] = [numbers(version), numbers(than)];
  const at = right.findIndex((number, index) => number !== left[index]);
  return at >= 0 && (left[at] ?? 0) < right[at]!;
}
