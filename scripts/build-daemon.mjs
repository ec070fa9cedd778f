/** Builds the command, daemon and runner outside of dist, for tests and benchmarks. */
import { join } from "node:path";
import { buildCommand } from "./build-command.mjs";
import { buildRunner } from "./build-runner.mjs";

export async function buildDaemon(directory) {
  await Promise.all([buildCommand(directory), buildRunner(join(directory, "runner.cjs"))]);
  return directory;
}
