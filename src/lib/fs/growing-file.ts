/** A file that stays open for appending: opening it for every few bytes costs more than writing them. */
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from "node:fs";

export class GrowingFile {
  private readonly path: string;
  private fd: number | undefined;
  private inode = 0n;

  constructor(path: string) {
    this.path = path;
  }

  /** Returns false if there is no file to open; never creates it. `isThere` checks whether it still exists. */
  append(piece: Uint8Array): boolean {
    if (this.fd === undefined && !this.isThere()) return false;
    const fd = (this.fd ??= this.open());
    // A nearly full disk accepts a part and fails only on the next write.
    for (let at = writeSync(fd, piece); at < piece.length;) at += writeSync(fd, piece, at);
    return true;
  }

  /** Whether the path still refers to the open file. */
  isThere(): boolean {
    const stat = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined && (this.fd === undefined || stat.ino === this.inode)) return true;
    this.close();
    return false;
  }

  /** The next append opens whatever is at the path then. */
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
