/** `npm run check`: quick checks for every edit: lint, formatting, types, dead code and unit tests. */
import { checkNode, installDependencies } from "./setup.mjs";
import { printFailures } from "./stages.mjs";
import { staticChecks } from "./static-checks.mjs";

checkNode();
await installDependencies();
// Side by side, so that no core is idle; the tests' summary comes last.
const checked = staticChecks();
const { runTests } = await import("./run-tests.mjs");
const after = checked.then(printFailures);
const isPassed = await runTests(["--project", "unit", ...process.argv.slice(2)], { after });
process.exit((await after) && isPassed ? 0 : 1);
