/** Where a runner's process begins: `node runner.cjs --shim <session id>`. Loads the rest as it was compiled before. */
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { compileLater, RUNNER_STARTS_LATER } from "../lib/compile-later.ts";
import { requireCompiled } from "../lib/compiled-bundle.ts";

/** Beside this file; its name changes with its contents. */
declare const RUNNER_BODY: string;

/** By then a session has shown what it needs, and nobody waits for it. */
const COMPILED_AFTER_MS = 3000;

/** V8's default of what a rehearsal sets (Node 20). */
const USUAL_EARLY = Number.parseInt(process.versions.v8, 10) < 12 ? ["--max-bytecode-size-for-early-opt=81"] : [];

requireCompiled(join(import.meta.dirname, RUNNER_BODY), (keep) => {
  const keepOnce = (): void => {
    clearTimeout(timer);
    process.off("exit", keepOnce);
    // Compiled code is only good for a process with the same flags, and those of this one have changed since its start.
    setFlags([...compileLater(RUNNER_STARTS_LATER), ...USUAL_EARLY]);
    keep();
    setFlags(compileLater(1));
  };
  const timer = setTimeout(keepOnce, COMPILED_AFTER_MS).unref();
  process.once("exit", keepOnce);
});

function setFlags(flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}
