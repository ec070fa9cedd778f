/** Where a runner's process begins: `node runner.cjs --shim <session id>`. */
import { runShim } from "./main.ts";

const COULD_NOT_START = 1;

const at = process.argv.indexOf("--shim");
runShim(process.argv[at + 1] ?? "").then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(COULD_NOT_START);
  },
);
