/** Loads agents from plug-in files. They are known to every registry of this process. */
import { pathToFileURL } from "node:url";
import { AgentMuxError } from "../core/errors.ts";
import type { PluginFile, PluginFiles } from "../core/plugins.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import { errorText } from "../lib/text/error-text.ts";
import { defineAgent, type AgentAdapter } from "./adapter.ts";
import { readerOf } from "./in-memory.ts";
import { plugAgent } from "./registry.ts";

/** What a plug-in is given: a file outside of any package cannot import amux. */
const TOOLS = { AgentMuxError, defineAgent, readerOf };

const problems: string[] = [];

/** Why plug-ins of this process were not loaded, one sentence each. */
export function pluginProblems(): readonly string[] {
  return problems;
}

/** A plug-in that fails is left out. */
export async function plugAgents(files: PluginFiles): Promise<void> {
  problems.push(...files.problems);
  for (const file of files.trusted) {
    try {
      await loadPlugin(file);
    } catch (error) {
      problems.push(errorText(error));
    }
  }
}

export async function loadPlugin({ path, content }: PluginFile): Promise<AgentAdapter> {
  // Imported from memory: relative imports fail, so nothing runs that was not part of the trusted file.
  const source = `${content.toString("utf8")}\n//# sourceURL=${pathToFileURL(path).href}`;
  const address = `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`;
  try {
    const { default: found } = await importModule(address);
    const adapter = checked(typeof found === "function" ? await found(TOOLS) : found);
    plugAgent(adapter);
    return adapter;
  } catch (cause) {
    const why = errorText(cause).replaceAll(address, path);
    throw new AgentMuxError("PLUGIN_ERROR", `The plug-in ${path} cannot be used: ${why}`, { cause });
  }
}

/** As text, because the bundler turns `import()` into `require()`, which loads no such address. */
// oxlint-disable-next-line typescript/no-implied-eval -- constant text
const importModule = new Function("address", "return import(address)") as (
  address: string,
) => Promise<{ default?: unknown }>;

function checked(made: unknown): AgentAdapter {
  const fields = asObject(made);
  const missing = ["name", "displayName", "command"].find((name) => asText(fields?.[name]) === undefined);
  if (missing !== undefined) throw new Error(`its default export makes no agent with a ${missing}.`);
  if (asObject(fields?.["capabilities"]) === undefined) throw new Error("its agent has no capabilities.");
  return made as AgentAdapter;
}
