import { accessSync, constants } from "node:fs";
import type { SessionSource } from "../../agents/adapter.ts";

/** Whether all its files may be opened. Whoever reads one that may not be tells why. */
export function mayBeRead({ files }: SessionSource): boolean {
  try {
    for (const { path } of files) accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false; // Gone, or closed to us.
  }
}
