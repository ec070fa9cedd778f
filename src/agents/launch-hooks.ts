/** Hooks for one start of an agent, so that it reports its status. Its settings are not changed. */
import { realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { asObject, asText, type Json } from "../lib/json/fields.ts";
import { findOnPath } from "../lib/process/find-on-path.ts";
import { findHookScript } from "../lib/process/hook-program.ts";
import { amuxHome } from "../lib/fs/paths.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { versionOf } from "../lib/process/version.ts";
import type { AgentEnv } from "./adapter.ts";
import type { AgentRegistry } from "./registry.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";
import { readText } from "../lib/fs/foreign-file.ts";

export interface Launch {
  kind?: string | undefined;
  command: readonly string[];
  env?: Readonly<Record<string, string>> | undefined;
}

export interface HookedStart {
  argv?: string[];
  env?: Record<string, string>;
}

export class LaunchHooks {
  readonly #registry: AgentRegistry;

  constructor(registry: AgentRegistry) {
    this.#registry = registry;
  }

  /** Additional arguments and environment of the start; empty for a program without hooks. `directory` is the session's own. */
  async prepare({ kind = "", command, env: own }: Launch, env: AgentEnv, directory: string): Promise<HookedStart> {
    const adapter = this.#registry.has(kind) ? await this.#registry.get(kind) : undefined;
    const script = findHookScript(env);
    if (adapter?.hooks?.launch === undefined || script === undefined) return {};
    const program = { node: process.execPath, script };
    const version = await knownVersion(adapter.command, env);
    const launch = adapter.hooks.launch(command, { env, program, directory, version });
    if (launch === undefined) return {};
    ensurePrivateDirectory(amuxHome(env));
    ensurePrivateDirectory(directory);
    for (const { path, content } of launch.files) {
      makeDirectory(dirname(path));
      writeFileAtomic(path, content);
    }
    return { argv: launch.argv, env: { ...own, ...launch.env } };
  }
}

/** Asking a program for its version can take a second, so the answer is cached per version of its file. */
async function knownVersion(command: string, env: AgentEnv): Promise<string | undefined> {
  const found = findOnPath(command, env.vars);
  if (found === undefined) return undefined;
  const program = realpathSync(found);
  const key = `${program} ${statSync(program).mtimeMs}`;
  const notes = join(amuxHome(env), "agent-versions.json");
  const known = readNotes(notes);
  const noted = asText(known[key]);
  if (noted !== undefined) return noted;
  const version = await versionOf(found);
  if (version !== undefined) {
    ensurePrivateDirectory(amuxHome(env));
    const others = Object.entries(known).filter(([name]) => !name.startsWith(`${program} `));
    writeFileAtomic(notes, `${JSON.stringify(Object.fromEntries([...others, [key, version]]), null, 2)}\n`);
  }
  return version;
}

function readNotes(path: string): Json {
  try {
    return asObject(JSON.parse(readText(path))) ?? {};
  } catch {
    return {}; // Not asked yet.
  }
}
