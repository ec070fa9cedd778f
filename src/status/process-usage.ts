/** Memory and CPU time of a process and its descendants, from /proc or `ps`. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

export interface ProcessUsage {
  processes: number;
  /** Resident memory; shared pages count for each process. */
  rssBytes: number;
  /** CPU time since each process started. */
  cpuSeconds: number;
}

interface ProcessRow {
  pid: number;
  parent: number;
  /** Where it takes a read of its own, only those that count are asked. */
  rssBytes?: number;
  cpuSeconds: number;
}

/** One process table for all trees: it costs the same for one session and for fifty. */
export async function usageOfTrees(roots: readonly number[]): Promise<Map<number, ProcessUsage>> {
  const rows = process.platform === "linux" ? rowsFromProc() : await rowsFromPs();
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  return new Map(roots.flatMap((root) => (byPid.has(root) ? [[root, sum(byPid.get(root)!, children)]] : [])));
}

/** Percent of one CPU between two samples; undefined if the tree has shrunk. */
export function cpuPercent(before: ProcessUsage, after: ProcessUsage, elapsedMs: number): number | undefined {
  const used = after.cpuSeconds - before.cpuSeconds;
  return used < 0 || elapsedMs <= 0 ? undefined : (used * 100_000) / elapsedMs;
}

function sum(root: ProcessRow, children: ReadonlyMap<number, ProcessRow[]>): ProcessUsage {
  const total: ProcessUsage = { processes: 0, rssBytes: 0, cpuSeconds: 0 };
  const seen = new Set<number>();
  for (const open = [root]; open.length > 0;) {
    const row = open.pop()!;
    if (seen.has(row.pid)) continue;
    seen.add(row.pid);
    total.processes++;
    total.rssBytes += row.rssBytes ?? residentBytes(row.pid);
    total.cpuSeconds += row.cpuSeconds;
    open.push(...(children.get(row.pid) ?? []));
  }
  return total;
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Blocks: the kernel answers these reads at once, and promises cost several times as much. */
function rowsFromProc(): ProcessRow[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? rowFromProc(name) : []));
}

function rowFromProc(name: string): ProcessRow[] {
  const stat = readProc(`/proc/${name}/stat`);
  // It ended meanwhile.
  if (stat === "") return [];
  // The name in parentheses may contain spaces and parentheses; the fields after it do not.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 13);
  const ticks = Number(fields[11]) + Number(fields[12]);
  return [{ pid: Number(name), parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND }];
}

function residentBytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`/proc/${pid}/status`)) ?? [];
  return Number(kilobytes) * 1024;
}

/** Empty if the process has ended. */
function readProc(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

async function rowsFromPs(): Promise<ProcessRow[]> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,rss=,time="], {
      timeout: 5000,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout.split("\n").flatMap(rowFromPs);
  } catch {
    return []; // Nothing is known then.
  }
}

/** `  123   1  4567 1-02:03:04.05`: pid, parent, kilobytes, CPU time. */
export function rowFromPs(line: string): ProcessRow[] {
  const found = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(?:(\d+)-)?([\d:.]+)\s*$/.exec(line);
  if (found === null) return [];
  const [, pid, parent, kilobytes, days = "0", clock = ""] = found;
  const seconds = clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      rssBytes: Number(kilobytes) * 1024,
      cpuSeconds: Number(days) * 86_400 + seconds,
    },
  ];
}
