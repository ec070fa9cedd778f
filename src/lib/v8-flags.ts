/**
 * Sets flags of V8 in a process that runs. `node:v8` does the same, but takes as long to load as a sixth of Node's own start.
 */
import { nodeBinding } from "./node-binding.ts";

/** All at once: whatever is set, V8 looks through all of its flags for what follows from it. */
export function setV8Flags(flags: readonly string[], binding = nodeBinding): void {
  const set = binding === nodeBinding ? (known ??= setter(binding)) : setter(binding);
  set(flags.join(" "));
}

type SetFlags = (flags: string) => void;
let known: SetFlags | undefined;

function setter(binding: typeof nodeBinding): SetFlags {
  const below = binding("v8")?.["setFlagsFromString"];
  return typeof below === "function" ? (below as SetFlags) : process.getBuiltinModule("node:v8").setFlagsFromString;
}
