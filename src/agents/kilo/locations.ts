/** The file locations of Kilo. */
import type { AgentEnv } from "../adapter.ts";
import { roots } from "../shared/opencode/locations.ts";
import { KILO } from "./product.ts";

export function locations(env: AgentEnv): string[] {
  return roots(KILO, env);
}
