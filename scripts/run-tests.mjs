/** Runs vitest with the command line's arguments, and prints only the output of `QuietReporter`. */
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import { createVitest, parseCLI } from "vitest/node";
import { countsLine, patternOf, QuietReporter, titleOf } from "./quiet-reporter.mjs";
import { root } from "./stages.mjs";
import { enterTestEnvironment } from "./test-environment.mjs";

/** Log of everything tests and their programs print. */
const OUTPUT = join(root, "node_modules/.cache/amux/test-output.log");

/** More failures have a common cause that a second run does not explain. */
const MOST_REPEATED = 3;

/**
 * True if nothing failed. The summary is printed after the promise `after`. With `repeats`, a few failed tests are run once more,
 * each alone, to tell a fault from a test that depends on timing. Both results are printed; the second one counts.
 */
export async function runTests(args, { out = process.stdout, output = OUTPUT, after, repeats = false } = {}) {
  enterTestEnvironment();
  const slowest = Number(process.env.AMUX_SLOWEST ?? 0);
  const first = await run(args, { out, output, after, slowest });
  const { failures, counts, isBroken } = first;
  const canRepeat = !isBroken && failures.every(({ file, name }) => name !== undefined && file.includes(".test."));
  if (!repeats || !canRepeat || failures.length === 0 || failures.length > MOST_REPEATED) {
    return failures.length === 0 && !isBroken;
  }
  out.write(`\nOnce more, alone: ${failures.map(titleOf).join(", ")}\n`);
  // Vitest sets it after a failure.
  process.exitCode = 0;
  const unsteady = [];
  for (const failure of failures) {
    const only = [...args, failure.file, "-t", patternOf(failure.name)];
    const again = await run(only, { out, output: `${output}.again` });
    counts.ms += again.counts.ms;
    if (!again.isBroken && again.counts.failed === 0 && again.counts.passed > 0) unsteady.push(failure);
  }
  out.write("\n");
  for (const failure of unsteady) {
    out.write(`*** failed, then passed alone: ${titleOf(failure)}. It depends on timing; please report it. ***\n`);
  }
  const failed = counts.failed - unsteady.length;
  out.write(`${countsLine({ ...counts, passed: counts.passed + unsteady.length, failed })}\n`);
  return failed === 0;
}

async function run(args, { out, output, after, slowest }) {
  const { filter, options } = parseCLI(["vitest", "run", ...args]);
  mkdirSync(dirname(output), { recursive: true });
  const file = createWriteStream(output);
  const kept = new Writable({ write: (chunk, encoding, done) => void file.write(chunk, encoding, done) });
  const reporter = new QuietReporter(out, { slowest, after });
  const reporters = options.reporter === undefined ? { reporters: [reporter] } : {};
  const streams = options.reporter === undefined ? { stdout: kept, stderr: kept } : {};
  const vitest = await createVitest("test", { root, ...options, ...reporters, watch: false }, {}, streams);
  // Workers outlive a parent that is ended by a signal.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void vitest.exit(true));
  await vitest.start(filter);
  await vitest.close();
  await new Promise((resolve) => file.end(resolve));
  if (options.reporter === undefined && !reporter.isDone) out.write(readFileSync(output, "utf8"));
  const { failures, counts } = reporter;
  // Vitest reports some errors only by its exit code.
  return { failures, counts, isBroken: failures.length === 0 && (process.exitCode ?? 0) !== 0 };
}
