/** The limits that agents keep in their own files, and what to do about unknown ones. */
import type { LimitReading } from "../core/limits.ts";
import type { AgentEnv } from "./agent-env.ts";
import type { AgentRegistry } from "./registry.ts";

interface AgentReadings {
  readings: LimitReading[];
  /** By agent: how its limits become known. */
  hints: { agent: string; displayName: string; hint: string }[];
}

/** Reads files: not for the daemon's own process. */
export async function agentReadings(
  registry: Pick<AgentRegistry, "names" | "get">,
  env: AgentEnv,
  now: number,
): Promise<AgentReadings> {
  const adapters = await Promise.all(registry.names().map((name) => registry.get(name)));
  return {
    readings: adapters.flatMap(({ limits }) => limits?.readings?.(env, now) ?? []),
    hints: adapters.flatMap(({ name, displayName, limits }) =>
      limits === undefined ? [] : [{ agent: name, displayName, hint: limits.unknown }],
    ),
  };
}
