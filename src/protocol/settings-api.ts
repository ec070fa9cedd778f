/** Settings of agents that the page shows and changes. */
import * as z from "zod/mini";

/** The hooks of one agent. */
export const AgentHooks = z.object({
  agent: z.string(),
  display_name: z.string(),
  /** Whether its program is on the PATH. */
  installed: z.boolean(),
  /** `none`: the agent has no hooks that amux can use. */
  state: z.enum(["absent", "installed", "outdated", "none"]),
  version: z.optional(z.string()),
  /** The file they are in. */
  path: z.optional(z.string()),
  /** Why the state is unknown, or why there are no hooks. */
  problem: z.optional(z.string()),
});
export type AgentHooks = z.infer<typeof AgentHooks>;

export const HooksChange = z.object({
  changed: z.boolean(),
  path: z.string(),
  /** What to do for the change to take effect. */
  note: z.optional(z.string()),
});
export type HooksChange = z.infer<typeof HooksChange>;
