/** A file that is added to, kept open meanwhile: opening it for every few bytes would cost more than writing them. */
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";

/** How long somebody may have removed the file, or moved it away, before it is noticed. */
const LOOK_EVERY_MS = 100;

export class GrowingFile {
  private readonly path: string;
  private fd: number | undefined;
  private inode = 0n;
  private lookedAt = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** False when the file is not there any more, or is another; it is not created here. */
  append(pieces: readonly Uint8Array[]): boolean {
    if (this.fd === undefined || performance.now() - this.lookedAt > LOOK_EVERY_MS) {
      if (!this.isThere()) return false;
    }
    const fd = (this.fd ??= this.open());
    for (const piece of pieces) {
      // A nearly full disk takes a part and says so only the next time.
      for (let at = 0; at < piece.length;) at += writeSync(fd, piece, at);
    }
    return true;
  }

  /** Whether the path leads to the file that is added to. */
  isThere(): boolean {
    const stat = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    this.lookedAt = performance.now();
    if (stat !== undefined && (this.fd === undefined || stat.ino === this.inode)) return true;
    this.close();
    return false;
  }

  /** The next addition goes to whatever is at the path then. */
  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private open(): number {
    const fd = openSync(this.path, constants.O_WRONLY | constants.O_APPEND);
    this.inode = fstatSync(fd, { bigint: true }).ino;
    return fd;
  }
}
