/** Bundles the command and the library into dist/. `--types` also writes the declarations, for publishing. */
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const dist = join(root, "dist");

spawnSync(process.execPath, [join(root, "scripts", "gen-agents.mjs")], { stdio: "inherit" });
rmSync(dist, { recursive: true, force: true });

const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  outdir: dist,
  absWorkingDir: root,
  // Native code stays where npm put it.
  external: ["@photostructure/sqlite"],
  define: { AMUX_VERSION: JSON.stringify(version) },
  legalComments: "none",
  logLevel: "warning",
};

// Splitting: a command loads its own chunk and what that needs, nothing else.
await build({ ...shared, entryPoints: { amux: "src/cli/amux.ts", index: "src/index.ts" }, splitting: true, chunkNames: "chunks/[name]-[hash]" });
chmodSync(join(dist, "amux.js"), 0o755);

if (process.argv.includes("--types")) {
  const result = spawnSync(
    join(root, "node_modules/.bin/tsc"),
    ["-p", ".", "--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--outDir", "dist/types", "--rootDir", "src"],
    { cwd: root, stdio: "inherit" },
  );
  if (result.status !== 0) process.exit(result.status ?? 1);
}
writeFileSync(join(dist, ".built"), "");
