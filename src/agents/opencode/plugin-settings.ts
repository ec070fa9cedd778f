/** OpenCode's settings for one start, in a variable: those the user gave there, and a plug-in of ours. */
import { asArray } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { AgentEnv } from "../adapter.ts";

export const CONTENT_VARIABLE = "OPENCODE_CONFIG_CONTENT";

/** Undefined when the user's own cannot be understood: OpenCode allows comments there; we would lose them. */
export function settingsWithPlugin(env: AgentEnv, plugin: () => string): string | undefined {
  const given = env.vars[CONTENT_VARIABLE] || "{}";
  const settings = parseObject(given);
  if (settings === undefined) return undefined;
  return JSON.stringify({ ...settings, plugin: [...(asArray(settings["plugin"]) ?? []), plugin()] });
}
