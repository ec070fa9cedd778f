/**
 * Bundles the process that holds a session: CommonJS, because that starts with fewer threads and less memory than modules
 * do, in two files: the body, and a small one that loads it with what V8 compiled of it at an earlier run.
 * `node scripts/build-runner.mjs` writes dist/runner.cjs and dist/runner-<hash>.cjs.
 */
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { IMPORT_META } from "./import-meta.mjs";
import { loadable } from "./loadable.mjs";
import { root } from "./setup.mjs";

const HASH_PLACE = "RUNNER_HASH_GOES_HERE";

const SHARED = {
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
  legalComments: "none",
  logLevel: "warning",
};

export async function buildRunner(outfile = join(root, "dist", "runner.cjs")) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const text = await bundle("src/runner/entry.ts", {
    AMUX_VERSION: JSON.stringify(version),
    RUNNER_HASH: JSON.stringify(HASH_PLACE),
  });
  const hash = createHash("sha256").update(text).digest("hex");
  const body = `runner-${hash.slice(0, 12)}.cjs`;
  const loader = await bundle("src/runner/load.ts", {
    RUNNER_BODY: JSON.stringify(body),
  });
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(join(dirname(outfile), body), loadable(text.replace(HASH_PLACE, hash)));
  // The daemon reads it here, to tell which sessions are held by another build.
  writeFileSync(outfile, `${loader.trimEnd()}\n//${hash}\n`);
  return outfile;
}

async function bundle(entry, define) {
  const { outputFiles } = await build({
    ...SHARED,
    entryPoints: [join(root, entry)],
    define: { ...define, ...IMPORT_META.define },
    banner: IMPORT_META.banner,
  });
  return outputFiles[0].text;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildRunner();
