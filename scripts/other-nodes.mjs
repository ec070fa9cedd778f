/** Installs other Node versions from npm, to test the built command with them. */
import { spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./stages.mjs";

export const OTHER_NODES = [22, 24, 26];

const WITHIN_MS = 300_000;

/** Path of this version's program, whether it is installed or not. */
export function otherNode(major) {
  return join(placeOf(major), "node");
}

/** Returns the versions that are not available. */
export function ensureOtherNodes(say) {
  const wanted = OTHER_NODES.filter((major) => !existsSync(otherNode(major)));
  if (wanted.length === 0) return [];
  say(`Installing for the tests (once): Node ${wanted.join(", ")} …`);
  for (const major of wanted) install(major);
  return wanted.filter((major) => !existsSync(otherNode(major)));
}

/** Only the program, without the scripts of the package that selects it. */
function install(major) {
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--loglevel=error"];
  const args = ["install", "--prefix", placeOf(major), ...options, `${packageName()}@${major}`];
  spawnSync("npm", args, { stdio: "ignore", timeout: WITHIN_MS });
  const modules = join(placeOf(major), "node_modules");
  const program = join(modules, packageName(), "bin/node");
  if (existsSync(program)) renameSync(program, otherNode(major));
  // Headers and manuals: half of the size.
  rmSync(modules, { recursive: true, force: true });
}

function placeOf(major) {
  return join(root, "node_modules/.cache/amux/nodes", String(major));
}

function packageName() {
  return `node-${process.platform}-${process.arch}`;
}
