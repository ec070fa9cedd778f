/** Files that are whole or not there: written beside their place and moved into it. */
import { closeSync, fstatSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

/** Makes the names of two writes in one millisecond different. */
let written = 0;

/** Readable by the owner only unless told otherwise. On failure the old file is untouched. */
export function writeFileAtomic(path: string, data: string | Uint8Array, mode = 0o600): void {
  const file = new AtomicFile(path, mode);
  file.write(data);
  file.commit();
}

/** A block as `stat` counts them. */
const BLOCK_BYTES = 512;

/**
 * For a full disk: writes over a text where it lies, in the room it has already, with spaces at its end. False when it
 * does not fit there; then nothing is changed.
 */
export function overwriteText(path: string, text: string): boolean {
  const bytes = Buffer.from(text);
  const fd = openSync(path, "r+");
  try {
    const { size, blocks } = fstatSync(fd);
    if (bytes.length > Math.max(size, blocks * BLOCK_BYTES)) return false;
    const padded = Buffer.alloc(Math.max(size, bytes.length), " ");
    bytes.copy(padded);
    return writeSync(fd, padded, 0, padded.length, 0) === padded.length;
  } finally {
    closeSync(fd);
  }
}

/** A file written in pieces. Any failure, or `abort`, leaves what was there before. */
export class AtomicFile {
  private readonly path: string;
  private readonly temporary: string;
  private fd: number;

  constructor(path: string, mode = 0o600) {
    this.path = path;
    this.temporary = `${path}.${process.pid}.${Date.now().toString(36)}.${++written}.tmp`;
    this.fd = openSync(this.temporary, "wx", mode);
  }

  write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    try {
      // A nearly full disk takes a part and says so only the next time.
      for (let at = 0; at < bytes.length;) at += writeSync(this.fd, bytes, at);
    } catch (error) {
      this.abort();
      throw error;
    }
  }

  commit(): void {
    try {
      closeSync(this.fd);
      this.fd = -1;
      renameSync(this.temporary, this.path);
    } catch (error) {
      this.abort();
      throw error;
    }
  }

  /** As `commit`, but fails when there is a file of that name already. */
  commitNew(): void {
    try {
      closeSync(this.fd);
      this.fd = -1;
      linkSync(this.temporary, this.path);
    } finally {
      this.abort();
    }
  }

  abort(): void {
    if (this.fd !== -1) closeSync(this.fd);
    this.fd = -1;
    rmSync(this.temporary, { force: true });
  }
}
