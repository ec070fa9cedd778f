/** How much memory something keeps alive. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// For the whole process, and not taken back: another thread may be between these two lines.
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of heap that stay in use with the result of `make`. */
export function bytesHeldBy(make: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const made = make();
  collectGarbage();
  const after = process.memoryUsage().heapUsed;
  // Used after the measurement, so that it is not collected during it.
  return made === undefined ? 0 : after - before;
}
