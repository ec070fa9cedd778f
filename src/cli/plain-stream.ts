/**
 * Standard output and standard error without Node's streams, which take a seventh of Node's own start to load: where they are
 * files or pipes, Node writes to them at once anyway. Elsewhere, and when nobody takes what is written, by streams.
 */
import { fstatSync, writeSync } from "node:fs";

/** The device that takes everything and is no terminal: major 1, minor 3. */
const LINUX_NULL = 0x103;

/** Whether what goes to this file descriptor can be written at once. */
export function isPlain(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) return process.platform !== "win32";
    return process.platform === "linux" && (stat.isFIFO() || (stat.isCharacterDevice() && stat.rdev === LINUX_NULL));
  } catch {
    // Closed. Node opens something in its place, or says what is wrong.
    return false;
  }
}

/** How much was written; less than all when nobody takes more just now. */
export function writePlain(fd: number, bytes: Uint8Array): number {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") break;
      throw error;
    }
  }
  return written;
}
