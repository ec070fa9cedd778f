/**
 * Bundles the command, library, runner and page into dist/, with type declarations, manual, completions and schemas. Everything
 * is built beside it and then moved, so that running programs and failed builds never see half of it.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCommand } from "./build-command.mjs";
import { buildManual } from "./build-manual.mjs";
import { buildRunner } from "./build-runner.mjs";
import { buildWeb } from "./build-web.mjs";
import { bundle } from "./bundle.mjs";
import { root } from "./setup.mjs";

const dist = join(root, "dist");
const fresh = join(root, `.dist-${process.pid}`);

spawnSync(process.execPath, [join(root, "scripts", "gen-agents.mjs")], { stdio: "inherit" });

try {
  mkdirSync(fresh);
  await Promise.all([
    buildCommand(fresh),
    // Split, so that an importer loads only what it uses.
    bundle(
      {
        index: "src/index.ts",
        agents: "src/agents/index.ts",
        client: "src/client/index.ts",
        protocol: "src/protocol/index.ts",
      },
      { dir: fresh, format: "es", chunkFileNames: "chunks/[name]-[hash].js" },
    ),
    buildRunner(join(fresh, "runner.cjs")),
    buildWeb(join(fresh, "web")),
    writeTypes(join(fresh, "types")),
  ]);
  buildManual(fresh);
  cpSync(join(root, "docs/schemas"), join(fresh, "schemas"), { recursive: true });
  writeFileSync(join(fresh, ".built"), "");
  putInPlace();
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function writeTypes(outDir) {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  // Types are checked by other means.
  const args = [compiler, "-p", join(root, "tsconfig.types.json"), "--noCheck", "--outDir", outDir];
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: "inherit" }), "exit");
  if (code !== 0) throw new Error("the declarations could not be written");
}

function putInPlace() {
  const old = join(root, `.dist-old-${process.pid}`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}
