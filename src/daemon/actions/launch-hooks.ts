/** Hooks for one start of an agent, so that it tells what it does; its settings stay as they are. */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import type { SpawnRequest } from "../../client/shim-client.ts";
import { writeFileAtomic } from "../../lib/atomic-file.ts";
import { findOnPath } from "../../lib/find-on-path.ts";
import { findHookScript } from "../../lib/hook-program.ts";
import { ensurePrivateDirectory } from "../../lib/private-directory.ts";
import { versionOf } from "../../lib/version.ts";

export class LaunchHooks {
  readonly #registry: AgentRegistry;
  /** By program and its date: asking a program for its version can take a second. */
  readonly #versions = new Map<string, Promise<string | undefined>>();

  constructor(registry: AgentRegistry) {
    this.#registry = registry;
  }

  /** What the start needs besides; nothing for a program without hooks. `directory` is the session's own. */
  async prepare(request: SpawnRequest, env: AgentEnv, directory: string): Promise<Partial<SpawnRequest>> {
    const { kind = "", command } = request;
    const hooks = this.#registry.has(kind) ? (await this.#registry.get(kind)).hooks : undefined;
    const script = findHookScript(env);
    if (hooks?.launch === undefined || script === undefined) return {};
    const program = { node: process.execPath, script };
    const version = await this.#version((await this.#registry.get(kind)).command, env);
    const launch = hooks.launch(command, { env, program, directory, version });
    if (launch === undefined) return {};
    ensurePrivateDirectory(directory);
    for (const { path, content } of launch.files) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileAtomic(path, content);
    }
    return { argv: launch.argv, env: { ...request.env, ...launch.env } };
  }

  #version(command: string, env: AgentEnv): Promise<string | undefined> {
    const program = findOnPath(command, env.vars);
    if (program === undefined) return Promise.resolve(undefined);
    const key = `${program} ${statSync(program, { throwIfNoEntry: false })?.mtimeMs}`;
    const known = this.#versions.get(key) ?? versionOf(program);
    this.#versions.set(key, known);
    return known;
  }
}
