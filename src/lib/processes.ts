/** Facts about processes of this machine, from /proc where there is one and from `ps` elsewhere. */
import { readFileSync, readdirSync } from "node:fs";

interface ProcessFacts {
  pid: number;
  session: number;
  /** When it was started, in the system's own unit; with the pid it names a process for good. */
  startTime: string;
}

/** Undefined when there is no such process, or it is a zombie: ended, but not yet collected by its parent. */
export function startTimeOf(pid: number): string | undefined {
  return hasProc() ? factsOf(pid)?.startTime : run("ps", ["-o", "lstart=", "-p", String(pid)]);
}

/** Whether the process that had this pid and start time still runs. Pids are used again; start times are not. */
export function isRunning(pid: number, startTime: string): boolean {
  return startTimeOf(pid) === startTime;
}

/** All processes of the session that `leader` began, itself included. */
export function processesOfSession(leader: number): number[] {
  if (!hasProc()) {
    const lines = run("ps", ["-A", "-o", "pid=,sess="])?.split("\n") ?? [];
    return lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid = 0, session]) => (session === leader ? [pid] : []));
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => factsOf(Number(name)))
    .flatMap((facts) => (facts?.session === leader ? [facts.pid] : []));
}

function hasProc(): boolean {
  return process.platform === "linux";
}

function factsOf(pid: number): ProcessFacts | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined; // It ended: that is an answer.
  }
  // The name, in parentheses, may hold spaces and parentheses itself; the fields after it do not.
  const [state, , , session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  return { pid, session: Number(session), startTime: rest[15] ?? "" };
}

function run(program: string, args: string[]): string | undefined {
  // Loaded only where there is no /proc: a process that never needs it should not carry it.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    const output = execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return output === "" ? undefined : output;
  } catch {
    return undefined; // ps answers "no such process" by its exit code.
  }
}
