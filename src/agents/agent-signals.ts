/** Signs of agents that are visible from outside, without loading an adapter. */
import { optional } from "../lib/values/optional.ts";
import type { Json } from "../lib/json/fields.ts";
import type { AgentEnv } from "./adapter.ts";
import { HOOK_EVENTS } from "./hook-events.gen.ts";
import type { AgentRegistry } from "./registry.ts";
import type { ProcessState, TitleState } from "./status-hooks.ts";

export interface AgentSignals {
  titleState?(title: string): TitleState | undefined;
  transcriptState?(records: readonly Json[]): ProcessState | undefined;
  processState?(pid: number): ProcessState | undefined;
}

/** Agents whose status comes from their own status file. */
export const MAIN_AGENT = Object.values(HOOK_EVENTS).find((hooks) => hooks.isMain === true)!.name;

export async function agentSignals(
  registry: AgentRegistry,
  env: AgentEnv,
  names: readonly string[],
): Promise<Map<string, AgentSignals>> {
  const known = [...new Set(names)].filter((name) => registry.has(name));
  return new Map(
    await Promise.all(
      known.map(async (name): Promise<[string, AgentSignals]> => {
        const { titleState, transcriptState, processState } = (await registry.get(name)).hooks ?? {};
        const ofProcess = processState && ((pid: number) => processState(env, pid));
        const signs = {
          ...optional("titleState", titleState),
          ...optional("transcriptState", transcriptState),
          ...optional("processState", ofProcess),
        };
        return [name, signs];
      }),
    ),
  );
}
