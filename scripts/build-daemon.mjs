/**
 * What the daemon needs in dist beside the command: the threads that read agents' files and put ledgers together, and the
 * process that relays terminals, as entries of their own. The daemon itself is a chunk of the command. `buildDaemon(directory)` makes all of
 * it apart, for tests and benchmarks.
 */
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildRunner } from "./build-runner.mjs";
import { root } from "./setup.mjs";

/** To be built together with the command, with splitting. */
export const DAEMON_ENTRIES = {
  "history-worker": "src/daemon/files/history-worker.ts",
  "ledger-worker": "src/daemon/peers/ledger-worker.ts",
  "relay-process": "src/daemon/relay/relay-process.ts",
};

export async function buildDaemon(directory) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const shared = {
    outdir: directory,
    bundle: true,
    platform: "node",
    target: "node20",
    absWorkingDir: root,
    external: ["@photostructure/sqlite", "@lydell/*", "pg"],
    define: { AMUX_VERSION: JSON.stringify(version) },
    legalComments: "none",
    logLevel: "warning",
  };
  const entryPoints = {
    amux: "src/cli/amux.ts",
    "scan-worker": "src/sessions/search/scan-worker.ts",
    ...DAEMON_ENTRIES,
  };
  const hook = { "amux-hook": "src/hook/amux-hook.ts" };
  await Promise.all([
    build({ ...shared, entryPoints, format: "esm", splitting: true, chunkNames: "chunks/[name]-[hash]" }),
    build({ ...shared, entryPoints: hook, format: "cjs", outExtension: { ".js": ".cjs" } }),
    buildRunner(join(directory, "runner.cjs")),
  ]);
  return directory;
}
