/** Files that are whole or not there: written beside their place and moved into it. */
import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Makes the names of two writes in one millisecond different. */
let written = 0;

/** Readable by the owner only unless told otherwise. On failure the old file is untouched. */
export function writeFileAtomic(path: string, data: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.${Date.now().toString(36)}.${++written}.tmp`;
  try {
    writeFileSync(temporary, data, { mode, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
