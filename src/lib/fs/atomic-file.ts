/** Files that are complete or absent: written under a temporary name and renamed. */
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Keeps the names of two writes in one millisecond apart. */
let written = 0;

/** Readable by the owner only, by default. On failure the old file is unchanged. */
export function writeFileAtomic(path: string, data: string | Uint8Array, mode = 0o600): void {
  const file = new AtomicFile(path, mode);
  file.write(data);
  file.commit();
}

/** Also after a power failure it is the new file. Waits for the disk. */
export function writeFileDurable(path: string, data: string): void {
  const file = new AtomicFile(path);
  file.write(data);
  file.sync();
  file.commit();
  syncToDisk(dirname(path));
}

/** Waits until a file or a directory of our own is on the disk. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A block as `stat` counts them. */
const BLOCK_BYTES = 512;

/**
 * For a full disk: overwrites a file in place, padded with spaces. Returns false, and changes nothing, if the text does not fit.
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
      // A nearly full disk accepts a part and fails only on the next write.
      for (let at = 0; at < bytes.length;) at += writeSync(this.fd, bytes, at);
    } catch (error) {
      this.abort();
      throw error;
    }
  }

  sync(): void {
    try {
      fsyncSync(this.fd);
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

  /** Like `commit`, but fails if a file of that name exists. */
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
