/** Finds tmux sessions quickly: names, and a look inside the files. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../lib/fs/paths.ts";
import { statusDirectory } from "../../status/status-directory.ts";
import { AMUX_SESSION } from "../../status/status-file.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

/** By its full name. */
export function isTmuxSession(name: string): boolean {
  const file = `${name}.json`;
  const directory = statusDirectory(processEnv());
  return jsonFilesIn(directory).includes(file) && !isOfAmux(join(directory, file));
}

function jsonFilesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  } catch {
    return []; // No hook has written there, or it is unreadable: nothing to list.
  }
}

/** If in doubt, no: then the full program checks it. */
function isOfAmux(path: string): boolean {
  try {
    return readText(path).includes(`"${AMUX_SESSION}"`);
  } catch {
    return false;
  }
}
