/** Stops random processes of the tests for a moment each, as a busy machine may do to any of them. Needs Linux. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Most are far shorter. */
const LONGEST_MS = 3000;
const SHORTEST_MS = 20;
const STALL_EVERY_MS = 20;
const LOOK_EVERY_MS = 400;
/** At most one process of this many is stopped at a time. */
const ONE_OF = 4;

/** Of the tests in `root` and their browsers. Returns a function that ends it. */
export function stallProcesses(root) {
  const places = ["dist/", "node_modules/vitest/", "test/"].map((name) => join(root, name));
  const isOfTests = ({ command }) =>
    places.some((place) => command.includes(place)) || /chrom.*--headless/s.test(command);
  let found = [];
  const stopped = new Set();
  const goOn = (pid) => {
    stopped.delete(pid);
    signal(pid, "SIGCONT");
  };
  const look = () => (found = runningProcesses().filter(isOfTests));
  const stall = () => {
    const one = found[Math.floor(Math.random() * found.length)];
    if (one === undefined || stopped.size >= Math.max(1, found.length / ONE_OF)) return;
    // A test may have stopped it itself.
    if (stopped.has(one.pid) || processOf(one.pid)?.isStopped !== false) return;
    if (!signal(one.pid, "SIGSTOP")) return;
    stopped.add(one.pid);
    setTimeout(goOn, SHORTEST_MS + Math.random() ** 4 * LONGEST_MS, one.pid).unref();
  };
  const timers = [setInterval(look, LOOK_EVERY_MS), setInterval(stall, STALL_EVERY_MS)];
  return () => {
    for (const timer of timers) clearInterval(timer);
    for (const pid of [...stopped]) goOn(pid);
  };
}

/** Without jobs of a shell, which would say that they were stopped; fish waits no longer for a stopped one anywhere. */
function runningProcesses() {
  const all = new Map();
  for (const name of readdirSync("/proc")) {
    const one = /^\d+$/.test(name) ? processOf(Number(name)) : undefined;
    if (one !== undefined) all.set(one.pid, one);
  }
  return [...all.values()].filter(({ parent, hasTerminal }) => {
    const { name } = all.get(parent) ?? {};
    return name !== "fish" && !(hasTerminal && isShell(name));
  });
}

function isShell(name) {
  return name !== undefined && /^(?:ba|da|z)?sh$/.test(name);
}

/** Undefined for a process that is gone. */
function processOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
    const [, name, rest] = /^\d+ \((.*)\) (.*)/s.exec(stat);
    const [state, parent, , , terminal] = rest.split(" ");
    return {
      pid,
      name,
      command,
      parent: Number(parent),
      hasTerminal: terminal !== "0",
      isStopped: /[tTZX]/.test(state),
    };
  } catch {
    return undefined;
  }
}

/** Whether it was there to get it. */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
