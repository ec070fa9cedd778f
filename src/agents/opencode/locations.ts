/** The file locations of OpenCode. */
import type { AgentEnv } from "../adapter.ts";
import { roots } from "../shared/opencode/locations.ts";
import { OPENCODE } from "./product.ts";

export function locations(env: AgentEnv): string[] {
  return roots(OPENCODE, env);
}
