/**
 * Sets flags of V8 in a process that runs. `node:v8` does the same, but takes as long to load as a sixth of Node's own start.
 */
import { nodeBinding } from "./node-binding.ts";

export function setV8Flags(flags: readonly string[], binding = nodeBinding): void {
  const below = binding("v8")?.["setFlagsFromString"];
  const set =
    typeof below === "function"
      ? (below as (flag: string) => void)
      : process.getBuiltinModule("node:v8").setFlagsFromString;
  // At once: after each call V8 goes through all its flags, for those that follow from others.
  set(flags.join(" "));
}
