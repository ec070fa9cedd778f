/** Entry of a runner's process: `node runner.cjs --shim <session id>`. */
import { errorText } from "../lib/text/error-text.ts";
import { runShim } from "./main.ts";

const COULD_NOT_START = 1;

const at = process.argv.indexOf("--shim");
runShim(process.argv[at + 1] ?? "").then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${errorText(error)}\n`);
    process.exit(COULD_NOT_START);
  },
);
