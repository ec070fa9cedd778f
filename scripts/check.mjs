/** `npm run check`: quick checks for every edit: lint, formatting, types, dead code and unit tests. */
import { checkNode, installDependencies } from "./setup.mjs";
import { endOnFailures } from "./stages.mjs";
import { staticChecks } from "./static-checks.mjs";

checkNode();
await installDependencies();
endOnFailures(await staticChecks());
const { runTests } = await import("./run-tests.mjs");
process.exit((await runTests(["--project", "unit", ...process.argv.slice(2)])) ? 0 : 1);
