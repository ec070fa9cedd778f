/**
 * Ends all sessions of a home after a test. Their runners are killed: one that ends by itself looks for its programs, paints its last
 * screen and says goodbye, which costs as much as a quarter of its start.
 */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ShimClient } from "../../../src/client/shim-client.ts";
import { isLockHeld, lockHolder } from "../../../src/lib/process/process-lock.ts";
import { childrenOf, processesOfSession } from "../../../src/lib/process/processes.ts";
import { waitFor } from "../../support/wait-for.ts";

export async function endSessions(client: ShimClient): Promise<void> {
  const directory = dirname(client.files("sess-00000000").lock);
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const locks = names.filter((name) => /^sess-.*\.lock$/.test(name)).map((name) => join(directory, name));
  const runners = locks.flatMap((lock) => lockHolder(lock) ?? []).filter((pid) => pid !== process.pid);
  // Each program leads the process session of its own terminal.
  for (const pid of [...processesOfSession(...runners.flatMap((runner) => childrenOf(runner))), ...runners]) end(pid);
  await waitFor("the runners to leave", () => !locks.some((lock) => existsSync(lock) && isLockHeld(lock)));
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
