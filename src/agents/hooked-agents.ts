/** Agents that support hooks, and where they are installed. */
import { AgentMuxError } from "../core/errors.ts";
import type { HookInstallation } from "../core/hooks.ts";
import { findOnPath } from "../lib/process/find-on-path.ts";
import { findHookScript, HOOK_SCRIPT } from "../lib/process/hook-program.ts";
import { amuxHome } from "../lib/fs/paths.ts";
import { versionOf } from "../lib/process/version.ts";
import type { AgentAdapter, AgentEnv } from "./adapter.ts";
import { AgentRegistry } from "./registry.ts";

export interface HookedAgent {
  adapter: AgentAdapter;
  place: HookInstallation;
  /** Whether the program is on the PATH. */
  isInstalled: boolean;
  version: string | undefined;
}

/** The named agent, or all that support hooks. */
export async function hookedAgents(env: AgentEnv, name?: string): Promise<HookedAgent[]> {
  if (env.platform === "win32")
    throw new AgentMuxError("CAPABILITY_ERROR", "Hooks need a Unix shell; Windows is not supported.");
  const script = findHookScript(env);
  if (script === undefined) {
    throw new AgentMuxError(
      "CONFIG_ERROR",
      "The hook program is missing from this installation of amux; install it again.",
    );
  }
  const registry = new AgentRegistry();
  const adapters = await Promise.all(
    (name === undefined ? registry.names() : [name]).map((each) => registry.get(each)),
  );
  const [named] = name === undefined ? [] : adapters;
  if (named !== undefined && named.hooks === undefined) throw hookless(named);
  const home = amuxHome(env);
  return Promise.all(
    adapters.flatMap((adapter) => {
      const { hooks } = adapter;
      if (hooks === undefined) return [];
      return [
        (async (): Promise<HookedAgent> => {
          const program = findOnPath(adapter.command, env.vars);
          const version = program === undefined ? undefined : await versionOf(program);
          const target = hooks.target(env, { node: process.execPath, script }, version);
          const isOurs = (text: string): boolean => text.includes(HOOK_SCRIPT);
          const place: HookInstallation = { agent: adapter.name, target, isOurs, home };
          return { adapter, place, isInstalled: program !== undefined, version };
        })(),
      ];
    }),
  );
}

/** Agents without hooks, and why. */
export async function hooklessAgents(): Promise<AgentAdapter[]> {
  const registry = new AgentRegistry();
  const adapters = await Promise.all(registry.names().map((name) => registry.get(name)));
  return adapters.filter(({ hooks }) => hooks === undefined);
}

function hookless({ displayName, whyNoHooks }: AgentAdapter): AgentMuxError {
  const why = whyNoHooks === undefined ? "." : `: ${whyNoHooks}.`;
  return new AgentMuxError("CAPABILITY_ERROR", `${displayName} has no hooks that amux can use${why}`);
}
