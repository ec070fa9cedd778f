/** For tests: how much memory something keeps alive. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the heap that stay in use as long as what `make` gives is. */
export function bytesHeldBy(make: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const made = make();
  collectGarbage();
  const after = process.memoryUsage().heapUsed;
  // Used after the measurement, so that it is not collected in it.
  return made === undefined ? 0 : after - before;
}
