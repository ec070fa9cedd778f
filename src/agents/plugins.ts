/** Loads agents from plug-in files. They are known to every registry of this process. */
import { pathToFileURL } from "node:url";
import { AgentMuxError } from "../core/errors.ts";
import type { PluginFile, PluginFiles } from "../core/plugins.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import { errorText } from "../lib/text/error-text.ts";
import { defineAgent, type AgentAdapter } from "./adapter.ts";
import { readerOf } from "./in-memory.ts";
import { containedHistory } from "./plugin-history.ts";
import { plugAgent } from "./registry.ts";

/** What a plug-in is given: a file outside of any package cannot import amux. */
const TOOLS = { AgentMuxError, defineAgent, readerOf };

/** Reading a file takes milliseconds, on a busy machine a second. */
const LOADED_WITHIN_MS = 5000;

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
  // From memory, so what runs is what was trusted. Relative imports fail; those by an absolute address are not checked.
  const source = `${content.toString("utf8")}\n//# sourceURL=${pathToFileURL(path).href}`;
  const address = `data:text/javascript;base64,${Buffer.from(source).toString("base64")}`;
  try {
    const made = checked(await withoutExit(() => inTime(agentFrom(address))));
    const adapter = made.history ? { ...made, history: containedHistory(made.history, path) } : made;
    plugAgent(adapter);
    return adapter;
  } catch (cause) {
    const why = errorText(cause).replaceAll(address, path);
    throw new AgentMuxError("PLUGIN_ERROR", `The plug-in ${path} cannot be used: ${why}`, { cause });
  }
}

async function agentFrom(address: string): Promise<unknown> {
  const { default: found } = (await import(/* @vite-ignore */ address)) as { default?: unknown };
  return typeof found === "function" ? await found(TOOLS) : found;
}

/** A plug-in that waits for something must not stop amux. The timer also keeps the process alive meanwhile. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const why = `it did not finish loading within ${LOADED_WITHIN_MS / 1000} seconds.`;
    timer = setTimeout(() => reject(new Error(why)), LOADED_WITHIN_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const { exit } = process;

/** A plug-in that ends the process would end every command without a word. */
async function withoutExit<T>(work: () => Promise<T>): Promise<T> {
  process.exit = () => {
    throw new Error("it calls process.exit.");
  };
  try {
    return await work();
  } finally {
    process.exit = exit;
  }
}

/** Functions that a part of an agent must have, and those that it may have. */
const PARTS = {
  history: [
    ["roots", "sessionDir", "listSessions", "summarize", "read"],
    ["belongings", "lineage"],
  ],
  launch: [[], ["resume", "fork"]],
  run: [["prepare"], []],
} as const;

function checked(made: unknown): AgentAdapter {
  const fields = asObject(made);
  const missing = ["name", "displayName", "command"].find((name) => asText(fields?.[name]) === undefined);
  if (missing !== undefined) throw new Error(`its default export makes no agent with a ${missing}.`);
  if (asObject(fields?.["capabilities"]) === undefined) throw new Error("its agent has no capabilities.");
  for (const [part, [required, optional]] of Object.entries(PARTS)) {
    const given = fields?.[part];
    if (given === undefined) continue;
    const functions = asObject(given) ?? {};
    const isWrong = (name: string): boolean => typeof functions[name] !== "function";
    const wrong = required.find(isWrong) ?? optional.find((name) => functions[name] !== undefined && isWrong(name));
    if (wrong !== undefined) throw new Error(`${part}.${wrong} is not a function.`);
  }
  return made as AgentAdapter;
}
