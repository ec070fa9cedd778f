/** Checks of the sources without running them. */
import { join } from "node:path";
import { root, stage } from "./stages.mjs";

const PLACES = ["src", "test", "scripts", "bench"];

/** All of them run, even after a failure. */
export function staticChecks() {
  const bin = (name) => join(root, "node_modules/.bin", name);
  const script = (title, name, ...args) => stage(title, process.execPath, [join(root, "scripts", name), ...args]);
  return [
    script("generated files", "gen-agents.mjs", "--check"),
    script("prices", "gen-prices.mjs", "--check"),
    script("dependencies", "audit.mjs", "--offline"),
    stage("lint", bin("oxlint"), ["--type-aware", ...PLACES]),
    stage("format", bin("oxfmt"), ["--check", ...PLACES]),
    stage("types", bin("tsc"), ["-p", "."]),
    stage("types of the page", bin("tsc"), ["-p", "src/web"]),
    stage("dead code", bin("knip"), []),
  ];
}
