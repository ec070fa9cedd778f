/**
 * What the daemon needs in dist beside the command: the thread that reads agents' files, as an entry of its own. The daemon
 * itself is a chunk of the command. `buildDaemon(directory)` makes all of it apart, for tests and benchmarks.
 */
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildRunner } from "./build-runner.mjs";
import { root } from "./setup.mjs";

/** To be built together with the command, with splitting. */
export const DAEMON_ENTRIES = { "history-worker": "src/daemon/files/history-worker.ts" };

export async function buildDaemon(directory) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  await build({
    entryPoints: { amux: "src/cli/amux.ts", ...DAEMON_ENTRIES },
    outdir: directory,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    absWorkingDir: root,
    external: ["@photostructure/sqlite"],
    define: { AMUX_VERSION: JSON.stringify(version) },
    legalComments: "none",
    logLevel: "warning",
  });
  await buildRunner(join(directory, "runner.cjs"));
  return directory;
}
