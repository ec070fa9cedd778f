/** Bundles sources for Node.js, as all parts of the program are. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "./setup.mjs";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Native code stays where npm put it; so does the database client, which few need. */
const EXTERNAL = [/^@photostructure\/sqlite/, /^@lydell\//, /^pg$/];

/** Writes what `output` names, and returns it. */
export async function bundle(input, output, define = {}) {
  const sources = await rolldown({
    input,
    cwd: root,
    platform: "node",
    external: EXTERNAL,
    transform: { target: "node20", define: { AMUX_VERSION: JSON.stringify(version), ...define } },
    // A part may be loaded on demand here and always there.
    checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
  });
  const { output: files } = await sources.write({ comments: false, ...output });
  await sources.close();
  return files;
}

/** One file, whatever it loads on demand. */
export async function bundleToFile(input, file, output = {}, define = {}) {
  const [{ code }] = await bundle(input, { file, codeSplitting: false, ...output }, define);
  return code;
}
