/** Signals that end a run: Ctrl-C once interrupts, twice aborts; so do hang-up and a closed output. */
import type { RunHandle } from "../../index.ts";
import type { Output } from "../output.ts";

/** Returns a function that stops listening. */
export function endOnSignals(run: RunHandle, output: Output): () => void {
  let interruptions = 0;
  const abort = (): void => void run.abort();
  const interrupt = (): void => {
    if (++interruptions > 1) return abort();
    output.note("Interrupted; Ctrl-C again ends the agent.");
    // Between two attempts there is nothing to interrupt, but something to end.
    run.interrupt().catch(abort);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", abort).on("SIGHUP", abort);
  process.stdout.on("error", abort);
  return () => {
    process.off("SIGINT", interrupt).off("SIGTERM", abort).off("SIGHUP", abort);
    process.stdout.off("error", abort);
  };
}
