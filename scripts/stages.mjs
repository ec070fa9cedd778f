/** Prints one line per stage with its time. A program's output is shown only if it failed. */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Runs a program; returns its output and command on failure, otherwise undefined. */
export function stage(title, command, args) {
  const started = performance.now();
  if (process.stderr.isTTY) process.stderr.write(`  ${title} …`);
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28, stdio: "pipe" });
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  const failed = result.error !== undefined || result.status !== 0;
  const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  say(`  ${title.padEnd(18)} ${took.padStart(8)}${failed ? "  failed" : ""}`);
  if (!failed) return undefined;
  const output = [result.stdout, result.stderr, result.error?.message].filter(Boolean).join("\n");
  return { title, output, command: [command, ...args].join(" ") };
}

/** Exits if a stage has failed, with the output of each. */
export function endOnFailures(failures) {
  const failed = failures.filter((failure) => failure !== undefined);
  if (failed.length === 0) return;
  for (const { title, output, command } of failed) say(`\n${title}: failed\n${output.trimEnd()}\nagain: ${command}`);
  process.exit(1);
}
