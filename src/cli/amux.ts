#!/usr/bin/env node
import { fileURLToPath } from "node:url";

/** The name of a bundle that holds the commands that read history, and nothing else; beside this file once built. */
declare const HISTORY_BUNDLE: string | undefined;

/** The same as in scripts/build-history.mjs. */
const HISTORY_COMMAND = /^(?:sessions (?:list|search|show|export|diff)|cost report|index (?:status|build|clear))$/;

const argv = process.argv.slice(2);
const main = await mainFor(argv);
// Not process.exit: output that a slow reader has not taken yet must still go out.
process.exitCode = await main(argv);

/** Short questions to a long history: what they need is loaded in one go, as it was compiled before. */
async function mainFor(words: readonly string[]): Promise<(argv: readonly string[]) => Promise<number>> {
  const isHistory = HISTORY_COMMAND.test(words.slice(0, 2).join(" "));
  if (typeof HISTORY_BUNDLE === "undefined" || !isHistory || words.some((word) => word.startsWith("--archive"))) {
    return (await import("./main.ts")).main;
  }
  const { requireCompiled } = await import("./compiled-bundle.ts");
  const path = fileURLToPath(new URL(HISTORY_BUNDLE, import.meta.url));
  return requireCompiled<typeof import("./main.ts")>(path).main;
}
