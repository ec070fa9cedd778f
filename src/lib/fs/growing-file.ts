/** A file that is added to, kept open meanwhile: opening it for every few bytes would cost more than writing them. */
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";

export class GrowingFile {
  private readonly path: string;
  private fd: number | undefined;
  private inode = 0n;

  constructor(path: string) {
    this.path = path;
  }

  /** False when there is no file to be opened; it is not created here. Whether it is still there, `isThere` tells. */
  append(piece: Uint8Array): boolean {
    if (this.fd === undefined && !this.isThere()) return false;
    const fd = (this.fd ??= this.open());
    // A nearly full disk takes a part and says so only the next time.
    for (let at = writeSync(fd, piece); at < piece.length;) at += writeSync(fd, piece, at);
    return true;
  }

  /** Whether the path leads to the file that is added to. */
  isThere(): boolean {
    const stat = statSync(this.path, { bigint: true, throwIfNoEntry: false });
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
