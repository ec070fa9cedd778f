/**
 * The user's plug-ins: `*.mjs` files in `plugins` of amux's home, and files elsewhere that were trusted. Only trusted content is
 * handed out.
 */
import { basename, join } from "node:path";
import type { PluginFile, PluginFiles } from "../core/plugins.ts";
import { codeOf, entriesOf } from "../lib/fs/directory.ts";
import { readBytes } from "../lib/fs/foreign-file.ts";
import { errorText } from "../lib/text/error-text.ts";
import { TrustFile, type ProjectPrograms } from "./trust.ts";

export const PLUGIN_ENDING = ".mjs";

export function pluginFiles(home: string): PluginFiles {
  const result: PluginFiles = { trusted: [], problems: [] };
  const directory = join(home, "plugins");
  const there = entriesOf(directory, (path, reason) => result.problems.push(`${path} ${reason}.`));
  const paths = there.flatMap(({ name }) => (name.endsWith(PLUGIN_ENDING) ? [join(directory, name)] : []));
  try {
    const trust = new TrustFile(home);
    const known = trust.list().flatMap(({ use, directory: path }) => (use === "plugin" ? [path] : []));
    for (const path of new Set([...paths, ...known])) addChecked(path, trust, result);
  } catch (error) {
    result.problems.push(errorText(error));
  }
  return result;
}

function addChecked(path: string, trust: TrustFile, { trusted, problems }: PluginFiles): void {
  try {
    const file = readPlugin(path);
    const verdict = trust.verdict(pluginPrograms(file));
    if (verdict === "trusted") trusted.push(file);
    else problems.push(`${path} ${WHY[verdict]} Read it, then: amux trust ${path}`);
  } catch (error) {
    problems.push(`The plug-in ${path} cannot be read (${codeOf(error)}).`);
  }
}

const WHY = { unknown: "is a plug-in that is not trusted.", changed: "has changed since it was trusted." };

export function readPlugin(path: string): PluginFile {
  return { path, content: readBytes(path) };
}

/** It is trusted by its path. */
export function pluginPrograms({ path, content }: PluginFile): ProjectPrograms {
  return {
    directory: path,
    use: "plugin",
    runs: [basename(path)],
    files: [path],
    contents: new Map([[path, content]]),
  };
}
