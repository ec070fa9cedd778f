/** Hooks in agents' own settings: their state, installation and removal. */
import type { AgentEnv } from "../../agents/adapter.ts";
import { hookedAgents, hooklessAgents, type HookedAgent } from "../../agents/hooked-agents.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentHooks, HooksChange } from "../../protocol/settings-api.ts";
import { hookState, installHooks, uninstallHooks } from "../../status/hook-install.ts";
import type { LoginEnvironment } from "./login-environment.ts";

export class HookSettings {
  readonly #env: AgentEnv;
  readonly #login: Pick<LoginEnvironment, "get">;

  constructor(env: AgentEnv, login: Pick<LoginEnvironment, "get">) {
    this.#env = env;
    this.#login = login;
  }

  async list(): Promise<AgentHooks[]> {
    const env = await this.#where();
    const hooked = await hookedAgents(env);
    const without = (await hooklessAgents()).map(({ name, displayName, command, whyNoHooks }): AgentHooks => ({
      agent: name,
      display_name: displayName,
      installed: findOnPath(command, env.vars) !== undefined,
      state: "none",
      ...optional("problem", whyNoHooks),
    }));
    return [...hooked.map(stateOf), ...without];
  }

  install(agent: string): Promise<HooksChange> {
    return this.#change(agent, ({ place, adapter }) => {
      const changed = installHooks(place);
      return { changed, path: place.target.path, ...(changed ? optional("note", adapter.hooks?.afterInstall) : {}) };
    });
  }

  uninstall(agent: string): Promise<HooksChange> {
    return this.#change(agent, ({ place }) => ({ changed: uninstallHooks(place), path: place.target.path }));
  }

  async #change(name: string, act: (agent: HookedAgent) => HooksChange): Promise<HooksChange> {
    const [agent] = await hookedAgents(await this.#where(), name);
    return act(agent!);
  }

  /** Agents are found where launches find them. */
  async #where(): Promise<AgentEnv> {
    return { ...this.#env, vars: { ...this.#env.vars, ...(await this.#login.get()) } };
  }
}

function stateOf({ adapter, place, isInstalled, version }: HookedAgent): AgentHooks {
  const known = {
    agent: adapter.name,
    display_name: adapter.displayName,
    installed: isInstalled,
    path: place.target.path,
    ...optional("version", version),
  };
  try {
    return { ...known, state: hookState(place) };
  } catch (error) {
    // Broken settings of one agent must not hide the others.
    return { ...known, state: "absent", problem: (error as Error).message };
  }
}
