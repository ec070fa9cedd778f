/** The lines of a file that a program is writing. */
import { existsSync, readFileSync } from "node:fs";

/** None before there is a file. A file exists before its first line is in it, and the last line may be half written. */
export function completeLines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}
