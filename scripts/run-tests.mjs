/** Runs vitest with the command line's arguments, and prints only the output of `QuietReporter`. */
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { createVitest, parseCLI } from "vitest/node";
import { QuietReporter } from "./quiet-reporter.mjs";
import { root } from "./stages.mjs";

/** Log of everything tests and their programs print. */
const OUTPUT = join(root, "node_modules/.cache/amux/test-output.log");

/** True if nothing failed. The summary is printed after the promise `after`. */
export async function runTests(args, { out = process.stdout, output = OUTPUT, after } = {}) {
  const { filter, options } = parseCLI(["vitest", "run", ...args]);
  mkdirSync(dirname(output), { recursive: true });
  const file = createWriteStream(output);
  const kept = new Writable({ write: (chunk, encoding, done) => void file.write(chunk, encoding, done) });
  const reporter = new QuietReporter(out, { slowest: Number(process.env.AMUX_SLOWEST ?? 0), after });
  const reporters = options.reporter === undefined ? { reporters: [reporter] } : {};
  const streams = options.reporter === undefined ? { stdout: kept, stderr: kept } : {};
  const vitest = await createVitest("test", { root, ...options, ...reporters, watch: false }, {}, streams);
  // Workers outlive a parent that is ended by a signal.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void vitest.exit(true));
  await vitest.start(filter);
  await vitest.close();
  await new Promise((resolve) => file.end(resolve));
  if (options.reporter === undefined && !reporter.isDone) out.write(readFileSync(output, "utf8"));
  return reporter.failed === 0 && (process.exitCode ?? 0) === 0;
}
