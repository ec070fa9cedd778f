/**
 * File names that are not UTF-8. Node replaces the unknown bytes, so the name opens nothing; these are reported with their bytes.
 */
import { isUtf8 } from "node:buffer";
import { readdirSync } from "node:fs";
import { sep } from "node:path";

/** Node's replacement for undecodable bytes; a name may also contain it itself. */
const UNREADABLE = "\uFFFD";

function mayBeUndecoded(name: string): boolean {
  return name.includes(UNREADABLE);
}

/** Reports every entry that decodes to this path, if the path itself does not exist. */
export function reportUndecoded(path: string, onProblem: ((path: string, reason: string) => void) | undefined): void {
  if (onProblem === undefined || !mayBeUndecoded(path)) return;
  const start = path.lastIndexOf(sep);
  const [directory, name] = [path.slice(0, start), path.slice(start + 1)];
  for (const bytes of bytesIn(directory)) {
    if (bytes.toString("utf8") === name && !isUtf8(bytes))
      onProblem(`${directory}${sep}${shown(bytes)}`, "has a name that is not UTF-8");
  }
}

function bytesIn(directory: string): Buffer[] {
  try {
    return readdirSync(directory, { encoding: "buffer" });
  } catch {
    // Gone since, or itself under such a name, which its own listing reports.
    return [];
  }
}

function shown(name: Buffer): string {
  return name
    .toString("latin1")
    .replaceAll(/[^\x20-\x7e]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
