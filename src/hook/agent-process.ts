/** The agent's process, for agents that do not name it to their hooks: the first above this one that is no shell. */
import { readFileSync } from "node:fs";

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "timeout"]);

/** Far more than there are between an agent and its hook. */
const MAX_STEPS = 6;

/** In the kernel's ticks of 10 ms. What began so shortly before the hook was started for it, and ends with it. */
const FOR_THIS_HOOK_TICKS = 30;

interface Process {
  name: string;
  parent: number;
  startTicks: number;
}

/** Undefined where it cannot be told: then nobody waits for its end. */
export function agentProcess(self = process.pid): number | undefined {
  const own = read(self);
  if (own === undefined) return undefined;
  let pid = own.parent;
  for (let step = 0; pid > 1 && step < MAX_STEPS; step++) {
    const found = read(pid);
    if (found === undefined) return undefined;
    const isHelper = SHELLS.has(found.name) || own.startTicks - found.startTicks < FOR_THIS_HOOK_TICKS;
    if (!isHelper) return pid;
    pid = found.parent;
  }
  return undefined;
}

function read(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const end = stat.lastIndexOf(")");
    const fields = stat.slice(end + 2).split(" ");
    return { name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(fields[1]), startTicks: Number(fields[19]) };
  } catch {
    return undefined; // It has ended, or there is no /proc here.
  }
}
