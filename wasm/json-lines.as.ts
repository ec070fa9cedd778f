/**
 * Reads lines of JSON without building objects: checks each line as strictly as JSON.parse does and notes the values at
 * the paths it was told, where they lie and what they are. What it cannot say with certainty (a key twice, an escaped
 * key, a structure too deep) it calls odd, and JavaScript parses that line.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/lib/json-lines.gen.ts.
 */
import { nextLine } from "./json/line";
import { answered } from "./json/memory";

export { forgetIds, idAt, wordOf, wordPlace } from "./json/ids";
export { addPath } from "./json/keys";
export { configure, feed, unread } from "./json/line";
export { allocate } from "./json/memory";

export function next(): i32 {
  return answered(nextLine());
}
