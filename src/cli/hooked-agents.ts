/** Agents that support hooks, and where they are installed. */
import type { AgentAdapter } from "../agents/adapter.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { AgentMuxError } from "../core/errors.ts";
import { findOnPath } from "../lib/process/find-on-path.ts";
import { findHookScript, HOOK_SCRIPT } from "../lib/process/hook-program.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { versionOf } from "../lib/process/version.ts";
import type { HookInstallation } from "../status/hook-install.ts";
import type { ArgumentSpec } from "./command.ts";

export const HOOK_AGENT_ARGUMENT: ArgumentSpec = {
  name: "agent",
  description: "only this agent",
  optional: true,
  completes: "agents",
};

export interface HookedAgent {
  adapter: AgentAdapter;
  place: HookInstallation;
  /** Whether the program is on the PATH. */
  isInstalled: boolean;
  version: string | undefined;
}

/** The named agent, or all that support hooks. */
export async function hookedAgents(name: string | undefined): Promise<HookedAgent[]> {
  const env = processEnv();
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

/** One agent's broken settings must not affect the others. */
export function attempted(work: () => boolean): { changed: boolean; error?: AgentMuxError } {
  try {
    return { changed: work() };
  } catch (error) {
    if (error instanceof AgentMuxError) return { changed: false, error };
    throw error;
  }
}
