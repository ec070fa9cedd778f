/** Facts about processes on this machine, from /proc or from `ps`. */
import { closeSync, openSync, readFileSync, readSync, readdirSync, readlinkSync } from "node:fs";

/** Unit of the times in /proc, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessFacts {
  pid: number;
  session: number;
  /** When it started, in the system's own unit; together with the pid it is unique. */
  startTime: string;
}

/** Undefined if there is no such process, or only a zombie that its parent has not collected. */
export function startTimeOf(pid: number, platform = process.platform): string | undefined {
  if (platform === "win32") return isAlive(pid) ? "unknown" : undefined;
  return hasProc() ? factsOf(pid)?.startTime : run("ps", ["-o", "lstart=", "-p", String(pid)]);
}

/** Windows has neither /proc nor ps. Without an answer, each of two processes would take the other's lock. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether the process with this pid and start time still runs. Pids are reused; start times are not. */
export function isRunning(pid: number, startTime: string): boolean {
  return startTimeOf(pid) === startTime;
}

/** All processes of the POSIX sessions with these leaders, including themselves. */
export function processesOfSession(...leaders: readonly number[]): number[] {
  if (leaders.length === 0) return [];
  const isOurs = (session: number | undefined): boolean => session !== undefined && leaders.includes(session);
  if (!hasProc()) {
    const lines = run("ps", ["-A", "-o", "pid=,sess="])?.split("\n") ?? [];
    return lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid = 0, session]) => (isOurs(session) ? [pid] : []));
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => factsOf(Number(name)))
    .flatMap((facts) => (facts !== undefined && isOurs(facts.session) ? [facts.pid] : []));
}

/** Leader of the foreground job on the terminal of `pid`; undefined if there is none. */
export function foregroundOf(pid: number): number | undefined {
  const group = hasProc()
    ? Number(statOf(pid)?.[5])
    : Number(run("ps", ["-o", "tpgid=", "-p", String(pid)]) ?? Number.NaN);
  return group > 0 ? group : undefined;
}

/** Its command line; empty if it has ended. */
export function commandOf(pid: number): string[] {
  if (!hasProc()) return run("ps", ["-ww", "-o", "command=", "-p", String(pid)])?.split(/\s+/) ?? [];
  const words = read(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
  // A program that sets its own title pads the rest of the line with empty words.
  return words.map((word) => word.trim()).filter((word) => word !== "");
}

/** Its current directory. */
export function directoryOf(pid: number): string | undefined {
  if (!hasProc()) return /^n(.+)$/m.exec(run("lsof", ["-a", "-p", String(pid), "-d", "cwd", "-Fn"]) ?? "")?.[1];
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // It ended, or belongs to another user.
  }
}

/** When it started, in milliseconds since the epoch; exact to 10 ms, or to a second. */
export function startMomentOf(pid: number): number | undefined {
  const startTime = startTimeOf(pid);
  if (startTime === undefined) return undefined;
  if (!hasProc()) return Date.parse(startTime);
  const uptime = Number(read("/proc/uptime")?.split(" ")[0]);
  return Math.round(Date.now() - (uptime - Number(startTime) / TICKS_PER_SECOND) * 1000);
}

/** Its direct children; none if the system cannot list them cheaply. */
export function childrenOf(pid: number): number[] {
  const text = hasProc() ? read(`/proc/${pid}/task/${pid}/children`) : undefined;
  return text === undefined || text === "" ? [] : text.trim().split(" ").map(Number);
}

function hasProc(): boolean {
  return process.platform === "linux";
}

function factsOf(pid: number): ProcessFacts | undefined {
  const fields = statOf(pid);
  if (fields === undefined) return undefined;
  const [state, , , session, ...rest] = fields;
  if (state === "Z" || state === "X") return undefined;
  return { pid, session: Number(session), startTime: rest[15] ?? "" };
}

/** More than any such line has; reused because thousands are read in a row. */
const statLine = Buffer.allocUnsafeSlow(4096);

/** Processor time of its main thread so far, in hundredths of a second. Undefined where unknown. */
export function mainThreadTicks(pid: number): number | undefined {
  const fields = statOf(`${pid}/task/${pid}`);
  return fields && Number(fields[11]) + Number(fields[12]);
}

function statOf(process: number | string): string[] | undefined {
  const stat = readLine(`/proc/${process}/stat`);
  // The name in parentheses may contain spaces and parentheses; the fields after it do not.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Three system calls instead of five for a file of unknown size. */
function readLine(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    return statLine.toString("latin1", 0, readSync(file, statLine, 0, statLine.length, 0));
  } catch {
    return undefined; // It ended: that is an answer.
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined; // It ended: that is an answer.
  }
}

function run(program: string, args: string[]): string | undefined {
  // Loaded only without /proc, to keep other processes small.
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  try {
    const output = execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    return output === "" ? undefined : output;
  } catch {
    return undefined; // ps answers "no such process" by its exit code.
  }
}
