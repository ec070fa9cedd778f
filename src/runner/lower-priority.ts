/**
 * Lowers the priority of a session that floods output while nobody watches. Linux shares the CPU among process sessions
 * (autogroup), and a group's niceness, unlike a process's, can be restored by its owner.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { codeOf } from "../lib/fs/directory.ts";

const GROUP = "/proc/self/autogroup";

/** A third of the others' share, under contention. */
const LOWERED = "5";
const USUAL = "0";

/** Nobody reads along at more than this per second. */
const POURED_BYTES = 1024 * 1024;
const WINDOW_MS = 1000;

export class FloodPriority {
  private isOurs: boolean | undefined;
  private isLowered = false;
  private windowBegan = 0;
  private writtenThen = 0;

  /** Called for every turn with output; `written` returns the total bytes and is called rarely. */
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
      // The system accepts ten changes a second from all processes together: the next window retries.
      if (codeOf(error) !== "EAGAIN") this.isOurs = false;
    }
  }
}

/** A runner inside a user's login session must not slow that down. */
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
