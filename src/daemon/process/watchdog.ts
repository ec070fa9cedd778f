/**
 * Logs when the daemon blocks: a second thread notices that the first stopped counting, and asks the kernel what it does. `amux
 * daemon log` then shows since when and where.
 */
import { Worker } from "node:worker_threads";
import type { Log } from "./log.ts";

/** Longer than the largest answer on a slow machine. */
const STANDING_STILL_MS = 10_000;

export interface Watchdog {
  close(): void;
}

/** The second thread writes to `log` itself: the first cannot. It starts late, because a thread costs a sixth of the daemon's start. */
export function startWatchdog(log: Log, standingStillMs = STANDING_STILL_MS): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(8));
  const start = setTimeout(() => watch(beats, log, standingStillMs), standingStillMs).unref();
  const timer = setInterval(() => Atomics.add(beats, 0, 1), standingStillMs / 20).unref();
  return {
    close: () => {
      clearTimeout(start);
      clearInterval(timer);
      Atomics.store(beats, 1, 1);
      Atomics.notify(beats, 1);
    },
  };
}

function watch(beats: Int32Array, log: Log, standingStillMs: number): void {
  const worker = new Worker(WATCH, {
    eval: true,
    workerData: { beats, pid: process.pid, path: log.path, standingStillMs },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });
  worker.unref();
  // The daemon works without it.
  worker.on("error", (error) => log.problem("running the watchdog", error));
}

/**
 * Plain JavaScript, to avoid another build entry. It waits on the second number, the end, and counts its own checks instead of
 * the clock, since a sleeping machine is not blocked.
 */
const WATCH = `
const { workerData: { beats, pid, path, standingStillMs } } = require("node:worker_threads");
const { appendFileSync, readFileSync } = require("node:fs");
const LOOK_MS = standingStillMs / 10;
const read = (name) => {
  try {
    return readFileSync("/proc/" + pid + "/task/" + pid + "/" + name, "latin1").trim();
  } catch {
    return "";
  }
};
const note = (what, facts) => {
  const line = JSON.stringify({ at: new Date().toISOString(), level: "warn", what, pid, ...facts });
  try {
    appendFileSync(path, line + "\\n", { mode: 0o600 });
  } catch {
    // A full disk cannot store the log line.
  }
};
let last = -1;
let looks = 0;
while (Atomics.wait(beats, 1, 0, LOOK_MS) === "timed-out") {
  const beat = Atomics.load(beats, 0);
  if (beat === last) looks++;
  else {
    if (looks >= 10) note("daemon continues", { after_ms: looks * LOOK_MS });
    last = beat;
    looks = 0;
  }
  if (looks === 10) {
    const [state] = read("stat").replace(/^.*\\) /, "");
    note("daemon blocked", { for_ms: standingStillMs, state, waits_in: read("wchan"), system_call: read("syscall").split(" ")[0] });
  }
}
`;
