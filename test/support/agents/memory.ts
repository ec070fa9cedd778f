/** How much memory something keeps alive. */
import * as v8 from "node:v8";

class Nothing {
  readonly kind = "nothing";
}

/** `queryObjects` runs a full collection first. */
function collectGarbage(): void {
  (v8 as unknown as { queryObjects(kind: unknown, options: { format: "count" }): number }).queryObjects(Nothing, {
    format: "count",
  });
}

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
