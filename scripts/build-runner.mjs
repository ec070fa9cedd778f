/**
 * Bundles the process that holds a session: one CommonJS file, because that starts with fewer threads and less memory
 * than modules do. `node scripts/build-runner.mjs` writes dist/runner.cjs.
 */
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./setup.mjs";

export async function buildRunner(outfile = join(root, "dist", "runner.cjs")) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  await build({
    entryPoints: [join(root, "src/runner/entry.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    absWorkingDir: root,
    // Comments and long names are read at every start and kept in memory.
    minifyWhitespace: true,
    minifySyntax: true,
    external: ["@lydell/*"],
    banner: { js: 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
    define: { AMUX_VERSION: JSON.stringify(version), "import.meta.url": "importMetaUrl" },
    legalComments: "none",
    logLevel: "warning",
  });
  return outfile;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildRunner();
