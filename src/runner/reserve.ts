/** Room on the disk that is held while a session lives, so that its last screen fits when nothing else does. */
import { rmSync, writeFileSync } from "node:fs";
import { codeOf } from "../lib/fs/directory.ts";

/** Whether there is no room left, on the disk or for this user. */
export function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** A large screen in many colours, beside the record that it replaces. */
const BYTES = 64 * 1024;

export class Reserve {
  private readonly path: string;
  private isHeld = false;

  constructor(path: string) {
    this.path = path;
  }

  /** Where there is no room for it already, there is none to be held. */
  hold(): void {
    try {
      // Not zeros: some file systems keep no room for those.
      writeFileSync(this.path, Buffer.alloc(BYTES, 0xa5), { mode: 0o600 });
      this.isHeld = true;
    } catch {
      rmSync(this.path, { force: true });
    }
  }

  giveUp(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    rmSync(this.path, { force: true });
  }
}
