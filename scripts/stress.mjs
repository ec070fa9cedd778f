/**
 * `npm run test:stress [-- --runs N] [--halved | --stalled | --alone] [vitest filters]`: runs the tests against eight busy loops and
 * a disk writer. `--halved` gives the program tests half of the CPU instead; `--stalled` stops random processes of theirs for up to
 * three seconds each and delays the answers to their pages; `--alone` adds nothing.
 */
import { spawn } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { competingLoad } from "./competing-load.mjs";
import { halfProcessor } from "./half-processor.mjs";
import { ensureOtherNodes } from "./other-nodes.mjs";
import { build, checkNode, installDependencies, root, say } from "./setup.mjs";
import { spentTime } from "./spent-time.mjs";
import { stallProcesses } from "./stalled-processes.mjs";

const LOOPS = 8;
const LOAD_EVERY_MS = 5000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "1" },
    halved: { type: "boolean", default: false },
    stalled: { type: "boolean", default: false },
    alone: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) {
  say(`--runs must be a whole number above 0, not ${values.runs}.`);
  process.exit(1);
}
if (values.stalled && process.platform !== "linux") {
  say("--stalled needs Linux: it looks for processes in /proc.");
  process.exit(1);
}
checkNode();
await installDependencies();
await build();
const unmet = ensureOtherNodes(say);
if (unmet.length > 0) say(`Node ${unmet.join(", ")} cannot be had from npm: the command is not tried on it.`);

/** Cleanup that must run before this program ends. */
const endings = [];
process.on("exit", () => {
  // The suite before its environment: a cgroup with processes cannot be removed.
  for (const end of endings.toReversed()) {
    try {
      end();
    } catch (error) {
      say(String(error));
    }
  }
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

const { wrapped, way } = surroundings();
say(`${runs} ${runs === 1 ? "run" : "runs"}, ${way}`);
let passed = 0;
for (let run = 1; run <= runs; run++) {
  const { isGreen, line, output } = await suite();
  if (isGreen) passed++;
  else say(output.trimEnd());
  say(`run ${run} of ${runs}: ${line}`);
}
say(`${passed} of ${runs} green, ${way}`);
process.exit(passed === runs ? 0 : 1);

/** The load beside the tests, and how a command is started in it. */
function surroundings() {
  const asItIs = (command) => command;
  if (values.alone) return { wrapped: asItIs, way: "nothing beside" };
  if (values.stalled) {
    endings.push(stallProcesses(root));
    process.env.AMUX_LATE_ANSWERS = "1";
    return { wrapped: asItIs, way: "random processes stopped for a moment, answers to pages delayed" };
  }
  if (!values.halved) {
    endings.push(competingLoad({ loops: LOOPS, writer: true }));
    return { wrapped: asItIs, way: `${LOOPS} busy loops and a disk writer beside` };
  }
  const group = halfProcessor();
  if (group !== undefined) {
    endings.push(group.leave);
    const join = (command) => ["sh", "-c", `echo $$ > ${group.members}; exec "$@"`, "sh", ...command];
    return { wrapped: join, way: "half of the processor" };
  }
  endings.push(competingLoad({ loops: availableParallelism(), writer: false }));
  return { wrapped: asItIs, way: "as many busy loops beside as there are cores" };
}

async function suite() {
  const projects = values.halved || values.stalled ? ["program"] : ["unit", "program"];
  const args = [...projects.flatMap((name) => ["--project", name]), ...positionals];
  const [command, ...rest] = wrapped([process.execPath, join(root, "scripts/test.mjs"), ...args]);
  const startedMs = performance.now();
  // A process group of its own, so that everything ends with it.
  const child = spawn(command, rest, { cwd: root, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const end = () => isRunning(child) && process.kill(-Number(child.pid), "SIGKILL");
  endings.push(end);
  let output = "";
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      output += `${line}\n`;
      // A run takes half an hour: the first failure is worth knowing.
      if (line.startsWith("failed: ")) say(line);
    });
  }
  const loads = [];
  const sampling = setInterval(() => loads.push(loadavg()[0]), LOAD_EVERY_MS);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(sampling);
  endings.splice(endings.indexOf(end), 1);
  loads.push(loadavg()[0]);
  const load = loads.reduce((sum, one) => sum + one, 0) / loads.length;
  const counts = /^\d+ passed, \d+ failed, \d+ skipped/m.exec(output)?.[0] ?? "ended before its summary";
  const took = spentTime(performance.now() - startedMs);
  return {
    isGreen: code === 0,
    output,
    line: `${code === 0 ? "passed" : "FAILED"}, ${took}, load ${load.toFixed(1)} (${counts})`,
  };
}

function isRunning(child) {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
