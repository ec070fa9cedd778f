/** For tests: how much memory something keeps alive. */
import * as v8 from "node:v8";

class Nothing {
  readonly kind = "nothing";
}

/** `queryObjects` looks at what is left after a full collection. */
function collectGarbage(): void {
  (v8 as unknown as { queryObjects(kind: unknown, options: { format: "count" }): number }).queryObjects(Nothing, {
    format: "count",
  });
}

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
