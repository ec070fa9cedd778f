/** `npm test`: sets everything up, then lint, formatting, types, dead code, generated files, all tests. Arguments go to vitest. */
import { join } from "node:path";
import { build, checkNode, installDependencies, root, say, step } from "./setup.mjs";
import { ensureTestPrograms } from "./test-programs.mjs";

checkNode();
installDependencies();
const bin = (name) => join(root, "node_modules/.bin", name);
const script = (name) => join(root, "scripts", name);

say("Checking …");
step("generated files", process.execPath, [script("gen-agents.mjs"), "--check"]);
step("compiled modules", process.execPath, [script("gen-wasm.mjs"), "--check"]);
step("prices", process.execPath, [script("gen-prices.mjs"), "--check"]);
step("dependencies", process.execPath, [script("audit.mjs"), "--offline"]);
step("lint", bin("oxlint"), ["--type-aware", "src", "test", "scripts", "bench"]);
step("format", bin("oxfmt"), ["--check", "src", "test", "scripts", "bench"]);
step("types", bin("tsc"), ["-p", "."]);
step("types of the page", bin("tsc"), ["-p", "src/web"]);
step("dead code", bin("knip"), []);
build();
const missing = ensureTestPrograms(say);
if (missing.length > 0) {
  say(`\n*** NOT HERE: ${missing.join(", ")}. What needs them is NOT TESTED. (Debian: apt-get install …) ***\n`);
  if (process.env.CI) process.exit(1);
}
say("Testing …");
step("tests", bin("vitest"), ["run", ...process.argv.slice(2)]);
