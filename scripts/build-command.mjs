/**
 * Bundles the command into CommonJS files with source maps: `amux.cjs`, the programs the daemon starts, and the parts that they load
 * on demand.
 */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { bundle, bundleToFile } from "./bundle.mjs";

const ENTRIES = {
  amux: "src/cli/launcher.ts",
  "history-worker": "src/daemon/files/history-worker.ts",
  "ledger-worker": "src/daemon/peers/ledger-worker.ts",
  "relay-process": "src/daemon/relay/relay-process.ts",
};

/** Sources that so many of the parts need are in one file: loading a file takes longer than evaluating a source. */
const OFTEN_SHARED = 60;

export async function buildCommand(directory) {
  await Promise.all([
    bundle(ENTRIES, {
      dir: directory,
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "chunks/[name]-[hash].cjs",
      sourcemap: true,
      sourcemapExcludeSources: true,
      // Names are kept for stack traces.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      // The command itself, what most commands need, and what those about past sessions need.
      codeSplitting: {
        groups: [
          { name: "start", priority: 3, test: /\/src\/(core\/|lib\/fs\/paths|lib\/text\/(error-)?text)/ },
          { name: "base", priority: 2, test: /\/src\/(cli|client|lib|protocol)\//, minShareCount: OFTEN_SHARED },
          { name: "history", test: /\/src\/(agents|history|models)\//, minShareCount: OFTEN_SHARED },
        ],
      },
    }),
    // A file of its own: agents start it at every event.
    bundleToFile("src/hook/amux-hook.ts", join(directory, "amux-hook.cjs"), { format: "cjs", minify: true }),
  ]);
  chmodSync(join(directory, "amux.cjs"), 0o755);
}
