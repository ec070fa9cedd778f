/** Settings for one start, in a variable: the user's own, extended by a plug-in. */
import { asArray } from "../../../lib/json/fields.ts";
import { parseObject } from "../../../lib/json/json.ts";
import type { AgentEnv } from "../../adapter.ts";
import { type Product, variable } from "./product.ts";

export function contentVariable(product: Product): string {
  return variable(product, "CONFIG_CONTENT");
}

/** Undefined if the user's settings cannot be parsed: comments are allowed there, which would be lost. */
export function settingsWithPlugin(product: Product, env: AgentEnv, plugin: () => string): string | undefined {
  const given = env.vars[contentVariable(product)] || "{}";
  const settings = parseObject(given);
  if (settings === undefined) return undefined;
  return JSON.stringify({ ...settings, plugin: [...(asArray(settings["plugin"]) ?? []), plugin()] });
}
