/** Merges settings from several places, later over earlier: scalars and lists replace, objects merge. */
import type { RunDefaults } from "../core/run-options.ts";
import { asObject } from "../lib/json/fields.ts";

export function mergeDefaults(...layers: readonly (RunDefaults | undefined)[]): RunDefaults {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const [field, value] of Object.entries(layer ?? {})) {
      if (value === undefined) continue;
      const [before, after] = [asObject(merged[field]), asObject(value)];
      merged[field] = before && after ? { ...before, ...after } : value;
    }
  }
  return merged as RunDefaults;
}
