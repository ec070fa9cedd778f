/** Puts a small program in an agent's place on the PATH. */
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { completeLines } from "./complete-lines.ts";
import { isRunning } from "./process-state.ts";
import { tempHome, type TempHome } from "./temp-home.ts";

export interface FakeAgent {
  home: TempHome;
  /** For `createClient({ env })`. */
  env: { home: string; platform: NodeJS.Platform; vars: Record<string, string> };
  /** Lines that the program recorded. */
  notes(): string[];
}

/** `command` is what the adapter looks for on the PATH; `program` is a file in `fake-agents`. */
export function fakeAgent(command: string, program: string, vars: Record<string, string> = {}): FakeAgent {
  const home = tempHome();
  const bin = join(home.path, "bin");
  mkdirSync(bin);
  // A link, so that Node finds the modules beside the real file.
  symlinkSync(join(import.meta.dirname, "fake-agents", `${program}.mjs`), join(bin, command));
  const notes = join(home.path, "notes");
  return {
    home,
    env: {
      home: home.path,
      platform: process.platform,
      vars: { HOME: home.path, PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, FAKE_NOTES: notes, ...vars },
    },
    notes: () => completeLines(notes),
  };
}

/** False for a process that has ended, even if not reaped yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== "linux" || isRunning(pid);
}
