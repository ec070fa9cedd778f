/**
 * The directory of sessions that do not tell it (up to 0.0.370). The program works in folders the user has trusted;
 * the innermost one that holds every file the session's tools touched is where it ran.
 */
import { join, sep } from "node:path";
import { asArray, asObject } from "../../lib/json/fields.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export function trustedFolderOf(copilotDir: string, paths: ReadonlySet<string>): string | undefined {
  if (paths.size === 0) return undefined;
  let innermost: string | undefined;
  for (const folder of trustedFolders(join(copilotDir, "config.json"))) {
    const holdsAll = [...paths].every((path) => path === folder || path.startsWith(`${folder}${sep}`));
    if (holdsAll && folder.length > (innermost?.length ?? 0)) innermost = folder;
  }
  return innermost;
}

function trustedFolders(configPath: string): string[] {
  try {
    // Newer versions begin the file with comment lines.
    const config = asObject(JSON.parse(readText(configPath).replace(/^\s*\/\/.*$/gm, "")));
    const folders = asArray(config?.["trusted_folders"]) ?? asArray(config?.["trustedFolders"]) ?? [];
    return folders.filter((folder) => typeof folder === "string");
  } catch {
    // Without it the directory stays unknown.
    return [];
  }
}
