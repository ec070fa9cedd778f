/**
 * `npm test`: sets everything up, then runs lint, formatting, types, dead code, generated files and all tests. Arguments go to
 * vitest, which then runs only the named tests.
 */
import { build, checkNode, installDependencies, say } from "./setup.mjs";
import { ensureOtherNodes } from "./other-nodes.mjs";
import { endOnFailures } from "./stages.mjs";
import { staticChecks } from "./static-checks.mjs";
import { ensureTestPrograms } from "./test-programs.mjs";

const args = process.argv.slice(2);
const isWhole = args.length === 0;
checkNode();
await installDependencies();
if (isWhole) endOnFailures(await staticChecks());
await build();
const missing = ensureTestPrograms(say);
if (missing.length > 0) {
  say(`\n*** NOT HERE: ${missing.join(", ")}. What needs them is NOT TESTED. (Debian: apt-get install …) ***\n`);
  if (process.env.CI) process.exit(1);
}
if (isWhole || args.some((arg) => arg.includes("smoke"))) {
  const unmet = ensureOtherNodes(say);
  if (unmet.length > 0)
    say(`\n*** NOT HERE: Node ${unmet.join(", ")} from npm. The command is NOT TRIED on them. ***\n`);
}
const { runTests } = await import("./run-tests.mjs");
process.exit((await runTests(args, { repeats: isWhole })) ? 0 : 1);
