/** Where a runner's process begins: `node runner.cjs --shim <session id>`. Loads the rest as it was compiled before. */
import { join } from "node:path";
import { requireCompiled } from "../lib/compiled-bundle.ts";

/** Beside this file; its name changes with its contents. */
declare const RUNNER_BODY: string;

/** By then a session has shown what it needs, and nobody waits for it. */
const COMPILED_AFTER_MS = 3000;

requireCompiled(join(import.meta.dirname, RUNNER_BODY), (keep) => {
  const keepOnce = (): void => {
    clearTimeout(timer);
    process.off("exit", keepOnce);
    keep();
  };
  const timer = setTimeout(keepOnce, COMPILED_AFTER_MS).unref();
  process.once("exit", keepOnce);
});
