/**
 * Bundles the runner into one CommonJS file, which starts with less memory and fewer threads than modules. `node
 * scripts/build-runner.mjs` writes dist/runner.cjs.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleToFile } from "./bundle.mjs";
import { root } from "./setup.mjs";

const HASH_PLACE = "RUNNER_HASH_GOES_HERE";

export async function buildRunner(outfile = join(root, "dist", "runner.cjs")) {
  // The source stays in memory while the process lives, so it is kept short.
  const define = { RUNNER_HASH: JSON.stringify(HASH_PLACE) };
  const text = await bundleToFile("src/runner/entry.ts", outfile, { format: "cjs", minify: true }, define);
  const hash = createHash("sha256").update(text).digest("hex");
  // The daemon reads it at the end of the file, to see which sessions have another build.
  writeFileSync(outfile, `${text.trimEnd().replace(HASH_PLACE, hash)}\n//${hash}\n`);
  return outfile;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildRunner();
