/** OpenCode's settings for one start, in a variable: the user's own, extended by a plug-in. */
import { asArray } from "../../lib/json/fields.ts";
import { parseObject } from "../../lib/json/json.ts";
import type { AgentEnv } from "../adapter.ts";

export const CONTENT_VARIABLE = "OPENCODE_CONFIG_CONTENT";

/** Undefined if the user's settings cannot be parsed: OpenCode allows comments there, which would be lost. */
export function settingsWithPlugin(env: AgentEnv, plugin: () => string): string | undefined {
  const given = env.vars[CONTENT_VARIABLE] || "{}";
  const settings = parseObject(given);
  if (settings === undefined) return undefined;
  return JSON.stringify({ ...settings, plugin: [...(asArray(settings["plugin"]) ?? []), plugin()] });
}
