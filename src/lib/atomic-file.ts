/** Files that are whole or not there: written beside their place and moved into it. */
import { randomBytes } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Readable by the owner only unless told otherwise. On failure the old file is untouched. */
export function writeFileAtomic(path: string, data: string | Uint8Array, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, data, { mode, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
