/** Checks of the sources without running them. */
import { join } from "node:path";
import { root, stages } from "./stages.mjs";

const PLACES = ["src", "test", "scripts", "bench"];

/** All of them run, even after a failure. What uses one core starts early, so that none is idle at the end. */
export async function staticChecks() {
  const bin = (name) => join(root, "node_modules/.bin", name);
  const script = (title, name, ...args) => [title, process.execPath, [join(root, "scripts", name), ...args]];
  // Types that were checked before an edit need not be checked again.
  const types = (title, place, memory) => [
    title,
    bin("tsc"),
    ["-p", place, "--incremental", "--tsBuildInfoFile", join(root, "node_modules/.cache/amux", memory)],
  ];
  return stages([
    ["lint", bin("oxlint"), ["--type-aware", ...PLACES]],
    ["dead code", bin("knip"), []],
    types("types", ".", "types.json"),
    types("types of the page", "src/web", "page-types.json"),
    ["format", bin("oxfmt"), ["--check", ...PLACES]],
    script("generated files", "gen-agents.mjs", "--check"),
    script("prices", "gen-prices.mjs", "--check"),
    script("dependencies", "audit.mjs", "--offline"),
  ]);
}
