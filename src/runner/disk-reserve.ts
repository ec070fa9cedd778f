/** Disk space reserved while a session lives, so that its last screen fits on a full disk. */
import { rmSync, writeFileSync } from "node:fs";
import { codeOf } from "../lib/fs/directory.ts";

/** Whether the disk or the user's quota is full. */
export function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** A large screen in many colours, beside the record it replaces. */
const BYTES = 64 * 1024;

export class DiskReserve {
  private readonly path: string;
  private isHeld = false;

  constructor(path: string) {
    this.path = path;
  }

  /** If there is no space now, none can be reserved. */
  hold(): void {
    try {
      // Not zeros: some file systems reserve no space for those.
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
