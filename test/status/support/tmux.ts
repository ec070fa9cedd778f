/** A tmux server for one test, removed after it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** On a busy machine a hook would give up, as it should, and its report would be missing. */
export const PATIENT = { AMUX_HOOK_PATIENCE: "50" };

export interface Tmux {
  socket: string;
  run(...args: string[]): string;
  /** The environment of a program in a new session of this name. */
  newSession(name: string, cwd: string): Record<string, string>;
}

export function startTmux(): Tmux {
  const directory = mkdtempSync(join(tmpdir(), "amux-tmux-"));
  const socket = join(directory, "server");
  const run = (...args: string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trimEnd();
  onTestFinished(() => {
    try {
      run("kill-server");
    } catch {
      // The test has ended it already.
    }
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    socket,
    run,
    newSession(name, cwd) {
      run("new-session", "-d", "-s", name, "-c", cwd, "-x", "80", "-y", "24", "sleep 1000");
      const [pid, pane] = run("display-message", "-p", "-t", `=${name}:`, "#{pid} #{pane_id}").split(" ");
      return { TMUX: `${socket},${pid},0`, TMUX_PANE: pane!, ...PATIENT };
    },
  };
}
