/**
 * A session that pours output, and that nobody attends to, lets others go first: on a machine that is all used up, whoever
 * types or asks something waits less for those that only print. Linux shares the processor out among process sessions
 * ("autogroup"), and a runner is one of its own; unlike a process's niceness, that of such a group may be given and taken
 * back by its owner. Where there is nothing of the kind, nothing changes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { codeOf } from "../lib/fs/directory.ts";

const GROUP = "/proc/self/autogroup";

/** A third of the others' share, when everybody wants one. */
const LOWERED = "5";
const USUAL = "0";

/** No one reads along with more than this in a second. */
const POURED_BYTES = 1024 * 1024;
const WINDOW_MS = 1000;

export class Precedence {
  private isOurs: boolean | undefined;
  private isLowered = false;
  private windowBegan = 0;
  private writtenThen = 0;

  /** Told of every turn with output; `written`: all bytes there ever were, asked for once in a while. */
  stirred(now: number, written: () => number, isAttended: () => boolean): void {
    const passed = now - this.windowBegan;
    if (passed >= 0 && passed < WINDOW_MS) return;
    const bytes = written() - this.writtenThen;
    const isPouring = this.windowBegan > 0 && passed < 2 * WINDOW_MS && bytes > POURED_BYTES && !isAttended();
    this.windowBegan = now;
    this.writtenThen += bytes;
    this.set(isPouring);
  }

  calm(): void {
    this.set(false);
  }

  private set(isLowered: boolean): void {
    if (this.isLowered === isLowered || !(this.isOurs ??= ownsItsGroup())) return;
    try {
      writeFileSync(GROUP, isLowered ? LOWERED : USUAL);
      this.isLowered = isLowered;
    } catch (error) {
      // The system takes ten of these a second, of all processes together: the next window tries again.
      if (codeOf(error) !== "EAGAIN") this.isOurs = false;
    }
  }
}

/** A runner that was started in somebody's login session must not slow that down. */
function ownsItsGroup(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const [, , , session] = readFileSync("/proc/self/stat", "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(session) === process.pid;
  } catch {
    // No /proc: no groups either.
    return false;
  }
}
