/** Prints one line per stage with its time. A program's output is shown only if it failed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Stages under way, shown on a terminal only. */
const running = new Set();

function showRunning() {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${running.size > 0 ? `  ${[...running].join(", ")} …` : ""}`);
}

/** Runs a program; returns its output and command on failure, otherwise undefined. */
export async function stage(title, command, args) {
  const started = performance.now();
  running.add(title);
  showRunning();
  const { output, failed } = await run(command, args);
  running.delete(title);
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  say(`  ${title.padEnd(18)} ${took.padStart(8)}${failed ? "  failed" : ""}`);
  showRunning();
  return failed ? { title, output, command: [command, ...args].join(" ") } : undefined;
}

async function run(command, args) {
  const parts = [];
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => parts.push(part));
  const output = () => Buffer.concat(parts).toString();
  try {
    const [code] = await once(child, "close");
    return { output: output(), failed: code !== 0 };
  } catch (error) {
    return { output: `${output()}\n${error.message}`, failed: true };
  }
}

/** Starts these stages in order, as many at a time as there are cores; all of them run, even after a failure. */
export async function stages(list) {
  const failures = [];
  const waiting = [...list];
  const next = async () => {
    for (let args = waiting.shift(); args !== undefined; args = waiting.shift()) failures.push(await stage(...args));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
  return failures;
}

/** The output of each failed stage; true if there is none. */
export function printFailures(failures) {
  const failed = failures.filter((failure) => failure !== undefined);
  for (const { title, output, command } of failed) say(`\n${title}: failed\n${output.trimEnd()}\nagain: ${command}`);
  return failed.length === 0;
}

export function endOnFailures(failures) {
  if (!printFailures(failures)) process.exit(1);
}
