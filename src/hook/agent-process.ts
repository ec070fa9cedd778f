/** Finds the agent's process when the agent does not name it: the nearest ancestor that is not a shell. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "timeout"]);

/** More than the processes between any agent and its hook. */
const MAX_STEPS = 6;

/** A process started this shortly before the hook is a helper of it and ends with it. */
const FOR_THIS_HOOK_SECONDS = 0.3;

/** `ps` reports whole seconds: within the same second, only the name tells a helper from the agent. */
const WHOLE_SECOND = 1;

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** `ps` takes some milliseconds; the agent waits for its hook. */
const PS_MS = 400;

interface Process {
  name: string;
  parent: number;
  /** Since boot or since the epoch; only differences matter. */
  startSeconds: number;
}

/** Undefined when it cannot be determined: then nothing watches for its end. */
export function agentProcess(self = process.pid): number | undefined {
  return process.platform === "linux"
    ? firstAgent(self, fromProc, FOR_THIS_HOOK_SECONDS)
    : agentInTable(self, psTable());
}

type Read = (pid: number) => Process | undefined;

function firstAgent(self: number, read: Read, helperSeconds: number): number | undefined {
  const own = read(self);
  if (own === undefined) return undefined;
  let pid = own.parent;
  for (let step = 0; pid > 1 && step < MAX_STEPS; step++) {
    const found = read(pid);
    if (found === undefined) return undefined;
    const isHelper = SHELLS.has(found.name) || own.startSeconds - found.startSeconds < helperSeconds;
    if (!isHelper) return pid;
    pid = found.parent;
  }
  return undefined;
}

function fromProc(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    const name = stat.slice(stat.indexOf("(") + 1, end);
    return { name, parent: Number(fields[1]), startSeconds: Number(fields[19]) / TICKS_PER_SECOND };
  } catch {
    return undefined; // It has ended.
  }
}

/** Reads every step from one listing of all processes. */
export function agentInTable(self: number, table: string): number | undefined {
  return firstAgent(self, fromTable(table), WHOLE_SECOND);
}

/** Lines of pid, parent, time of start (`Sun Nov 15 08:24:26 2026`) and program. */
function fromTable(table: string): Read {
  const rows = new Map<number, Process>();
  for (const line of table.split("\n")) {
    const [, pid, parent, started, name] =
      /^\s*(\d+)\s+(\d+)\s+(\w+ +\w+ +\w+ +[\d:]+ +\d+)\s+(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined) continue;
    // A login shell has a dash before its name.
    const program = basename(name).replace(/^-/, "");
    rows.set(Number(pid), { name: program, parent: Number(parent), startSeconds: Date.parse(started!) / 1000 });
  }
  return (pid) => rows.get(pid);
}

function psTable(): string {
  // Loaded only without /proc: a hook must start fast.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,lstart=,comm="], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
    timeout: PS_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return stdout ?? "";
}
