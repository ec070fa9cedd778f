/** A cgroup whose processes share half of the CPU. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

const PERIOD_US = 100_000;
const GROUPS = "/sys/fs/cgroup";

/** Undefined if cgroups are not available. */
export function halfProcessor() {
  const quota = Math.round((PERIOD_US * availableParallelism()) / 2);
  const name = `amux-stress-${process.pid}`;
  const isNew = existsSync(join(GROUPS, "cgroup.controllers"));
  const path = isNew ? join(GROUPS, name) : join(GROUPS, "cpu", name);
  try {
    mkdirSync(path);
  } catch {
    // No cgroups, or no permission: the caller has another way.
    return undefined;
  }
  const leave = () => {
    // Only an empty cgroup can be removed; leftover processes move to its parent first.
    for (const pid of readFileSync(join(path, "cgroup.procs"), "utf8").trim().split("\n").filter(Boolean)) {
      try {
        writeFileSync(join(path, "..", "cgroup.procs"), pid);
      } catch (error) {
        // It has ended meanwhile.
        if (error.code !== "ESRCH") throw error;
      }
    }
    rmdirSync(path);
  };
  try {
    if (isNew) writeFileSync(join(path, "cpu.max"), `${quota} ${PERIOD_US}`);
    else {
      writeFileSync(join(path, "cpu.cfs_period_us"), String(PERIOD_US));
      writeFileSync(join(path, "cpu.cfs_quota_us"), String(quota));
    }
  } catch {
    rmdirSync(path);
    return undefined;
  }
  return { members: join(path, "cgroup.procs"), leave };
}
