/**
 * Bundles the command, the library, the process that holds a terminal and the page into dist/. Everything is made beside it and
 * then put in its place, so that a program that is running, or a build that fails, never sees half of it. The declarations are
 * made with it: `npm pack`, `npm link` and a path in somebody's package.json all take dist/ as it lies there.
 */
import { build } from "esbuild";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DAEMON_ENTRIES } from "./build-daemon.mjs";
import { buildAccounts, buildBilling, buildHistory, buildInterface, buildLive } from "./build-history.mjs";
import { buildRunner } from "./build-runner.mjs";
import { IMPORT_META } from "./import-meta.mjs";
import { buildWeb } from "./build-web.mjs";
import { root } from "./setup.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const dist = join(root, "dist");
const fresh = join(root, `.dist-${process.pid}`);

spawnSync(process.execPath, [join(root, "scripts", "gen-agents.mjs")], { stdio: "inherit" });

const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  outdir: fresh,
  absWorkingDir: root,
  // Native code stays where npm put it, and so does the database client: CommonJS that hardly anybody needs.
  external: ["@photostructure/sqlite", "@lydell/*", "pg"],
  define: { AMUX_VERSION: JSON.stringify(version) },
  legalComments: "none",
  logLevel: "warning",
};

try {
  mkdirSync(fresh);
  const [historyBundle, accountsBundle, billingBundle, interfaceBundle, liveBundle] = await Promise.all([
    buildHistory(fresh, shared),
    buildAccounts(fresh, shared),
    buildBilling(fresh, shared),
    buildInterface(fresh, shared),
    buildLive(fresh, shared),
  ]);
  await Promise.all([
    // Splitting: a command loads its own chunk and what that needs, nothing else.
    build({
      ...shared,
      format: "esm",
      entryPoints: {
        amux: "src/cli/amux.ts",
        index: "src/index.ts",
        "scan-worker": "src/sessions/search/scan-worker.ts",
        ...DAEMON_ENTRIES,
      },
      define: {
        ...shared.define,
        HISTORY_BUNDLE: JSON.stringify(historyBundle),
        ACCOUNTS_BUNDLE: JSON.stringify(accountsBundle),
      },
      splitting: true,
      chunkNames: "chunks/[name]-[hash]",
    }),
    // Small files: agents start the hook at every event, users and scripts the other all day.
    build({
      ...shared,
      format: "cjs",
      entryPoints: {
        "amux-hook": "src/hook/amux-hook.ts",
        amux: "src/cli/launcher.ts",
        "billing-worker": "src/sessions/cost/billing-load.ts",
      },
      outExtension: { ".js": ".cjs" },
      minify: true,
      banner: IMPORT_META.banner,
      define: {
        ...shared.define,
        HISTORY_BUNDLE: JSON.stringify(historyBundle),
        ACCOUNTS_BUNDLE: JSON.stringify(accountsBundle),
        ...IMPORT_META.define,
        INTERFACE_BUNDLE: JSON.stringify(interfaceBundle),
        BILLING_BUNDLE: JSON.stringify(billingBundle),
        LIVE_BUNDLE: JSON.stringify(liveBundle),
      },
    }),
    buildRunner(join(fresh, "runner.cjs")),
    buildWeb(join(fresh, "web")),
    writeTypes(join(fresh, "types")),
  ]);
  for (const name of ["amux.js", "amux.cjs"]) chmodSync(join(fresh, name), 0o755);
  writeFileSync(join(fresh, ".built"), "");
  putInPlace();
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function writeTypes(outDir) {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const args = [compiler, "-p", join(root, "tsconfig.types.json"), "--outDir", outDir];
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: "inherit" }), "exit");
  if (code !== 0) throw new Error("the declarations could not be written");
}

function putInPlace() {
  const old = join(root, `.dist-old-${process.pid}`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}
