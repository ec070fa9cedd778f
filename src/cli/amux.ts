#!/usr/bin/env node
import { fileURLToPath } from "node:url";

/** The name of a bundle that holds the commands that read history, and nothing else; beside this file once built. */
declare const HISTORY_BUNDLE: string | undefined;

const argv = process.argv.slice(2);
const main = await mainFor(argv[0]);
// Not process.exit: output that a slow reader has not taken yet must still go out.
process.exitCode = await main(argv);

/** Short questions to a long history: what they need is loaded in one go, as it was compiled before. */
async function mainFor(verb: string | undefined): Promise<(argv: readonly string[]) => Promise<number>> {
  if (typeof HISTORY_BUNDLE === "undefined" || !["sessions", "cost", "index"].includes(verb ?? "")) {
    return (await import("./main.ts")).main;
  }
  const { requireCompiled } = await import("./compiled-bundle.ts");
  const path = fileURLToPath(new URL(HISTORY_BUNDLE, import.meta.url));
  return requireCompiled<typeof import("./main.ts")>(path).main;
}
