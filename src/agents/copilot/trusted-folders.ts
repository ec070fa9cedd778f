/**
 * Guesses the directory of sessions without one (up to 0.0.370): the innermost trusted folder that contains every file
 * the session's tools touched.
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
    // Without the file the directory stays unknown.
    return [];
  }
}
