/**
 * Bundles the process that holds a session: one CommonJS file, because that starts with fewer threads and less memory
 * than modules do. `node scripts/build-runner.mjs` writes dist/runner.cjs.
 */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./setup.mjs";

const HASH_PLACE = "RUNNER_HASH_GOES_HERE";

export async function buildRunner(outfile = join(root, "dist", "runner.cjs")) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/runner/entry.ts")],
    outfile,
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    absWorkingDir: root,
    // The source stays in memory while the process lives, so it should be short.
    minify: true,
    keepNames: false,
    external: ["@lydell/*"],
    banner: { js: 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;' },
    define: {
      AMUX_VERSION: JSON.stringify(version),
      RUNNER_HASH: JSON.stringify(HASH_PLACE),
      "import.meta.url": "importMetaUrl",
    },
    legalComments: "none",
    logLevel: "warning",
  });
  const { text } = outputFiles[0];
  const hash = createHash("sha256").update(text).digest("hex");
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, text.replace(HASH_PLACE, hash));
  return outfile;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildRunner();
