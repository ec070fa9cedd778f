/**
 * Bundles the runner into one CommonJS file, which starts with less memory and fewer threads than modules. `node
 * scripts/build-runner.mjs` writes dist/runner.cjs.
 */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { IMPORT_META } from "./build-command.mjs";
import { root } from "./setup.mjs";

const HASH_PLACE = "RUNNER_HASH_GOES_HERE";

export async function buildRunner(outfile = join(root, "dist", "runner.cjs")) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { outputFiles } = await build({
    entryPoints: [join(root, "src/runner/entry.ts")],
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    absWorkingDir: root,
    // The source stays in memory while the process lives, so it is kept short.
    minify: true,
    external: ["@lydell/*"],
    legalComments: "none",
    logLevel: "warning",
    define: {
      AMUX_VERSION: JSON.stringify(version),
      RUNNER_HASH: JSON.stringify(HASH_PLACE),
      ...IMPORT_META.define,
    },
    banner: IMPORT_META.banner,
  });
  const [{ text }] = outputFiles;
  const hash = createHash("sha256").update(text).digest("hex");
  mkdirSync(dirname(outfile), { recursive: true });
  // The daemon reads it at the end of the file, to see which sessions have another build.
  writeFileSync(outfile, `${text.trimEnd().replace(HASH_PLACE, hash)}\n//${hash}\n`);
  return outfile;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildRunner();
